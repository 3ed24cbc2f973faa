import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { isNarrow } from '../shell/screen.ts';

interface SidePanelProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Opens the row below (1) or above (-1) in the list, for the arrow keys. */
  readonly onStep: ((step: number) => void) | undefined;
  /** Shown beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/**
 * What is open in a page: beside the list on a wide screen, over everything on a narrow one. It takes the focus when it opens,
 * and gives it back when it closes. Escape closes it from anywhere on the page, and the arrow keys go to the next row.
 */
export function SidePanel({ title, onClose, onStep, actions, children }: SidePanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const headingId = useId();
  const isModal = isNarrow.value;
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (isModal) element?.showModal();
    else element?.show();
    heading.current?.focus({ preventScroll: true });
    return () => {
      element?.close();
      // If the focus was in the panel, it is lost now. If it has moved elsewhere, it stays there.
      const { activeElement } = document;
      const isLost = activeElement === document.body || element?.contains(activeElement);
      // The element that had the focus before may be gone.
      const heir = before?.isConnected ? before : document.getElementById('content');
      if (isLost && heir instanceof HTMLElement) heir.focus({ preventScroll: true });
    };
  }, [isModal]);
  const acts = useRef<Readonly<Record<string, (() => void) | undefined>>>({});
  acts.current = {
    Escape: onClose,
    ...(onStep && { ArrowDown: () => onStep(1), ArrowUp: () => onStep(-1) }),
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = acts.current[event.key];
      const isTyped = event.target instanceof Element && event.target.matches('input, select, textarea');
      const isOthers = event.defaultPrevented || isForOthers(event, dialog.current);
      if (act === undefined || isOthers || (isTyped && event.key !== 'Escape')) return;
      event.preventDefault(); // otherwise the browser closes it, and the address does not change
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <dialog ref={dialog} class="panel" aria-labelledby={headingId} onCancel={stop}>
      <header class="panel-head row">
        <h2 id={headingId} class="grow" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {actions}
        <button type="button" class="quiet" aria-label="Close" title="Close (Escape)" onClick={onClose}>
          ✕
        </button>
      </header>
      <div class="panel-body">{children}</div>
    </dialog>
  );
}

/** Whether a key press is for a dialog in front of the panel, or for a field beside it. */
function isForOthers({ target }: KeyboardEvent, panel: HTMLElement | null): boolean {
  if (!(target instanceof Element)) return false;
  const front = target.closest('dialog:modal') ?? document.querySelector('dialog:modal');
  if (front !== null && front !== panel) return true;
  return target.matches('input, select, textarea') && !panel?.contains(target);
}

function stop(event: Event): void {
  event.preventDefault();
}

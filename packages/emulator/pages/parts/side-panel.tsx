import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { isNarrow } from '../shell/screen.ts';

interface SidePanelProps {
  readonly title: string;
  readonly onClose: () => void;
  /** What stands beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/**
 * What is open in a page: beside the list on a wide screen, over all of it on a narrow one. It takes the focus when it
 * opens, and gives it back when it is closed, with Escape as well.
 */
export function SidePanel({ title, onClose, actions, children }: SidePanelProps) {
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
      // The focus that was in the panel is nowhere now; one that has gone elsewhere stays there.
      const { activeElement } = document;
      const isLost = activeElement === document.body || element?.contains(activeElement);
      if (isLost && before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [isModal]);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault(); // the browser's own way closes it without the address knowing
    onClose();
  };
  return (
    <dialog ref={dialog} class="panel" aria-labelledby={headingId} onKeyDown={closeOnEscape} onCancel={stop}>
      <header class="panel-head">
        <h2 id={headingId} ref={heading} tabIndex={-1}>
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

function stop(event: Event): void {
  event.preventDefault();
}

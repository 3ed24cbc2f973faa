import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { here, openId, replaceRoute } from '../shell/route.ts';
import type { Identified, Rows } from '../shell/rows.ts';
import { isNarrow } from '../shell/screen.ts';

interface SidePanelProps {
  readonly title: string;
  /** The list whose rows above and below can be opened next. */
  readonly rows?: Rows<Identified> | undefined;
  readonly children: ComponentChildren;
}

/**
 * What is open in a page: beside the list on a wide screen, over everything on a narrow one. It takes the focus when it opens,
 * and gives it back when it closes. Escape closes it from anywhere on the page, and the arrow keys go to the next row.
 */
export function SidePanel({ title, rows, children }: SidePanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const headingId = useId();
  const isModal = isNarrow.value;
  useEffect(() => {
    const element = dialog.current;
    if (isModal) element?.showModal();
    else element?.show();
    heading.current?.focus({ preventScroll: true });
    return () => element?.close(); // this also gives the focus back, unless it has moved elsewhere
  }, [isModal]);
  const open = openId();
  const [above, below] = [-1, 1].map((step) => open !== undefined && rows?.neighbour(open, step));
  const go = (id: number | false | undefined) => typeof id === 'number' && replaceRoute(here(id));
  const close = () => {
    location.hash = here();
  };
  const acts = useRef<Readonly<Record<string, (() => unknown) | undefined>>>({});
  acts.current = {
    Escape: close,
    ...(rows && { ArrowDown: () => go(below), ArrowUp: () => go(above) }),
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
        {rows && button('Row above', '↑', () => go(above), typeof above !== 'number')}
        {rows && button('Row below', '↓', () => go(below), typeof below !== 'number')}
        {button('Close', '✕', close)}
      </header>
      <div class="panel-body">{children}</div>
    </dialog>
  );
}

// A disabled button would lose the focus.
function button(label: string, sign: string, onClick: () => unknown, isDisabled = false) {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      title={label}
      aria-disabled={isDisabled}
      onClick={onClick}
    >
      {sign}
    </button>
  );
}

/** Whether a key press is for something in front of the panel, or for a field beside it. */
function isForOthers({ target }: KeyboardEvent, panel: HTMLElement | null): boolean {
  if (!(target instanceof Element)) return false;
  const front = target.closest('dialog:modal') ?? document.querySelector('dialog:modal, :popover-open');
  if (front !== null && front !== panel) return true;
  return target.matches('input, select, textarea') && !panel?.contains(target);
}

function stop(event: Event): void {
  event.preventDefault();
}

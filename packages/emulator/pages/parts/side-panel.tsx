import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Answer } from '../shell/asking.ts';
import { useKeys } from '../shell/keys.ts';
import { lost } from '../shell/live.ts';
import type { Identified } from '../shell/read-rows.ts';
import { here, openId, replaceRoute } from '../shell/route.ts';
import { Problem } from './dialog.tsx';

/** What the panel of a page shows: the row with this id, of these rows. */
export interface PanelProps {
  readonly id: number;
  readonly rows: readonly Identified[] | undefined;
}

interface SidePanelProps {
  readonly title: string;
  /** What was asked for it: it shows why there is no answer. */
  readonly answer: Answer<unknown>;
  /** The list whose rows above and below can be opened next. */
  readonly rows?: readonly Identified[] | undefined;
  readonly children: ComponentChildren;
}

/**
 * What is open in a page: beside the list on a wide screen, over everything on a narrow one. It takes the focus when it opens,
 * and gives it back when it closes. Escape closes it from anywhere on the page, and the arrow keys go to the next row.
 */
export function SidePanel({ title, answer, rows, children }: SidePanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const headingId = useId();
  // Not useEffect: its cleanup may come when the dialog is gone from the page.
  useLayoutEffect(() => {
    const element = dialog.current;
    const isNarrow = matchMedia('(max-width: 900px)').matches; // as in the styles
    if (isNarrow) element?.showModal();
    else element?.show();
    heading.current?.focus({ preventScroll: true });
    return () => element?.close(); // this also gives the focus back, unless it has moved elsewhere
  }, []);
  const open = openId();
  const close = () => {
    location.hash = here();
  };
  const next = (step: number) => {
    const index = rows?.findIndex(({ id }) => id === open) ?? -1;
    const id = index === -1 ? undefined : rows?.[index + step]?.id;
    return id === undefined ? undefined : () => replaceRoute(here(id));
  };
  const above = next(-1);
  const below = next(1);
  const buttons = [
    ['Row above', '↑', above],
    ['Row below', '↓', below],
    ['Close', '✕', close],
  ] as const;
  useKeys({ Escape: close, ArrowUp: above, ArrowDown: below });
  return (
    // Without this, the browser would close it with Escape, and the address would stay.
    <dialog
      ref={dialog}
      class="panel"
      aria-labelledby={headingId}
      onCancel={(event) => event.preventDefault()}
    >
      <header class="row">
        <h2 id={headingId} class="grow" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {buttons.slice(rows ? 0 : 2).map(([label, sign, act]) => (
          // A disabled button would lose the focus.
          <button
            key={label}
            type="button"
            class="quiet"
            aria-label={label}
            title={label}
            aria-disabled={!act}
            onClick={act}
          >
            {sign}
          </button>
        ))}
      </header>
      <div class="stack">
        {/* On a narrow screen, the panel hides what the page says of it. */}
        {lost.value && answer.value === undefined && <p class="notice bad">{lost.value}</p>}
        <Problem of={answer} />
        {children}
      </div>
    </dialog>
  );
}

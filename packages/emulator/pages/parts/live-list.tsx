import type { ComponentChildren } from 'preact';
import { isLost } from '../shell/live.ts';
import type { Identified } from '../shell/rows.ts';
import type { LiveRows } from '../shell/use-rows.ts';
import { ClearButton, Problem } from './dialog.tsx';
import { formatSome, Time } from './text.tsx';
import { type Column, VirtualList } from './virtual-list.tsx';

/** The column for the time at which a row arrived. */
export const RECEIVED: Column<{ readonly receivedAt: string }> = {
  head: 'Received',
  width: '104px',
  place: 'aside',
  class: 'muted',
  cell: ({ receivedAt }) => <Time value={receivedAt} />,
};

interface LiveListProps<Row extends Identified> {
  readonly name: string;
  readonly kind: string;
  readonly live: LiveRows<Row>;
  readonly columns: readonly Column<Row>[];
  /** Shown instead of the list if it has no rows. */
  readonly empty: ComponentChildren;
}

/** A list of what arrives. It says what is new while it does not follow. */
export function LiveList<Row extends Identified>({ name, kind, live, columns, empty }: LiveListProps<Row>) {
  const { shown, newer, isFollowing, showNewest } = live;
  return (
    <section aria-label={name}>
      <Problem error={live.error} onRetry={showNewest} />
      {shown.state.length === 0 ? (
        empty
      ) : (
        <VirtualList name={name} kind={kind} rows={shown} columns={columns} onReading={live.read} />
      )}
      {!isFollowing && newer > 0 && (
        <button type="button" class="main newer" onClick={showNewest}>
          {`↑ ${formatSome(newer, `new ${kind}`)}`}
        </button>
      )}
    </section>
  );
}

/** Whether a list follows, and the buttons that pause it and clear it. */
export function LiveControls({ live }: { readonly live: LiveRows<Identified> }) {
  const { isPaused, isFollowing, pause } = live;
  return (
    <>
      <span class={`badge ${isFollowing && !isLost.value ? 'good' : ''}`}>
        {isLost.value ? 'Not connected' : isFollowing ? 'Live' : isPaused ? 'Paused' : 'Not following'}
      </span>
      <button type="button" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <ClearButton />
    </>
  );
}

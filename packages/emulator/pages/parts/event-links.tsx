import type { ComponentChildren } from 'preact';
import type { TrackerRow, TrackerRows } from '../../src/admin/contract.ts';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';
import { Problem } from './dialog.tsx';
import { escapeUnseen, shownText } from './text.tsx';

interface EventLinksProps {
  readonly title: string;
  /** Which events, as a query of the route `events`. */
  readonly of: Readonly<Record<string, string>>;
  /** The query of the address that a link leads to. */
  readonly query?: Readonly<Record<string, string>>;
  /** What stands beside the name of an event. */
  readonly aside: (row: TrackerRow) => ComponentChildren;
  readonly isOldestFirst?: boolean;
  readonly children?: ComponentChildren;
}

/** Some events, as they arrive, each with a link to the event tracker. */
export function EventLinks({ title, of, query, aside, isOldestFirst, children }: EventLinksProps) {
  const path = `/events?${new URLSearchParams(of)}`;
  const answer = useAnswer<TrackerRows>(path, status.value?.newestEvent);
  const { rows } = answer.value ?? {};
  return (
    <section class="stack" aria-label="Events">
      <h3>{title}</h3>
      <Problem of={answer} />
      {rows?.length === 0 && <p class="muted">None yet.</p>}
      <ol class="list timeline">
        {(isOldestFirst ? rows?.toReversed() : rows)?.map((row) => (
          <li key={row.id}>
            <a class="item row" href={link(['tracker', String(row.id)], query)}>
              <strong class="grow cut">{shownText(row.name)}</strong>
              <span class="muted cut">{aside(row)}</span>
              <code class="cut muted">{escapeUnseen(row.preview)}</code>
            </a>
          </li>
        ))}
      </ol>
      {children}
    </section>
  );
}

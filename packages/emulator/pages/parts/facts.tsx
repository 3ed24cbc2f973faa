import type { ComponentChildren } from 'preact';
import type { TrackerRow } from '../../src/admin/contract.ts';
import { link } from '../shell/route.ts';
import { escapeUnseen, shownText } from './text.tsx';

interface FactsProps {
  /** Names and their values. One that is undefined is left out. */
  readonly of: readonly (readonly [name: string, value: ComponentChildren])[];
  readonly class?: string;
}

/** Names and their values. */
export function Facts({ of, class: extra = '' }: FactsProps) {
  return (
    <dl class={`facts ${extra}`}>
      {of.map(
        ([name, value], index) =>
          value !== undefined && [<dt key={`name ${index}`}>{name}</dt>, <dd key={index}>{value}</dd>],
      )}
    </dl>
  );
}

interface EventLinksProps {
  readonly rows: readonly TrackerRow[];
  /** The query of the address that a link leads to. */
  readonly query?: Readonly<Record<string, string>>;
  /** What stands beside the name of an event. */
  readonly aside: (row: TrackerRow) => ComponentChildren;
}

/** Events, each with a link to the event tracker. */
export function EventLinks({ rows, query, aside }: EventLinksProps) {
  return (
    <ol class="list timeline">
      {rows.map((row) => (
        <li key={row.id}>
          <a class="list-row" href={link(['tracker', String(row.id)], query)}>
            <strong class="cut">{shownText(row.name)}</strong>
            <span class="muted cut">{aside(row)}</span>
            <code class="cut muted">{escapeUnseen(row.preview)}</code>
          </a>
        </li>
      ))}
    </ol>
  );
}

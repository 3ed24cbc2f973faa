import type { ComponentChildren } from 'preact';
import type { TrackerRow } from '../../src/admin/contract.ts';
import { link } from '../shell/route.ts';
import { escapeUnseen, shownText } from './text.tsx';

/** A name and its value, in a `dl` of the class `facts`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
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
    <ol class="timeline">
      {rows.map((row) => (
        <li key={row.id}>
          <a href={link(['tracker', String(row.id)], query)}>
            <strong class="cut">{shownText(row.name)}</strong>
            <span class="muted cut">{aside(row)}</span>
            <code class="cut muted">{escapeUnseen(row.preview)}</code>
          </a>
        </li>
      ))}
    </ol>
  );
}

import type { RequestRow, TrackerRows } from '../../src/admin/contract.ts';
import { Problem } from '../parts/dialogs/problem.tsx';
import { escapeUnseen, shownText } from '../parts/text/shown-text.ts';
import { useAnswer } from '../shell/asking/answer.ts';
import { link } from '../shell/route.ts';

const SHOWN = 20;

/** The first new events of a request, with links to the event tracker. */
export function RequestEvents({ row }: { readonly row: RequestRow }) {
  const { firstEvent, events, repeated, error } = row;
  // If events were left out, the number of new events is not known.
  const brought = error === null ? (events ?? 0) - (repeated ?? 0) : 1;
  const shown = Math.min(brought, SHOWN);
  const isAny = firstEvent !== null && shown > 0;
  const {
    value: answer,
    error: problem,
    again,
  } = useAnswer<TrackerRows>(isAny ? `/tracker?before=${firstEvent + shown}&limit=${shown}` : undefined);
  if (!isAny) return null;
  const rows = (answer?.rows ?? []).filter(({ id }) => id >= firstEvent).reverse();
  return (
    <section class="stack" aria-label="Events">
      <h3>New events in it</h3>
      <Problem error={problem} onRetry={again} />
      <ol class="timeline">
        {rows.map(({ id, name, correlationValue, preview }) => (
          <li key={id}>
            <a href={link(['tracker', String(id)])}>
              <strong class="cut">{shownText(name)}</strong>
              <span class="muted cut">{shownText(correlationValue)}</span>
              <code class="cut muted">{escapeUnseen(preview)}</code>
            </a>
          </li>
        ))}
      </ol>
      {brought > shown && <p class="muted">These are the first {SHOWN}.</p>}
    </section>
  );
}

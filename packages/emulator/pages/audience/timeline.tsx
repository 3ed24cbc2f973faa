import type { TrackerRow, TrackerRows } from '../../src/admin/contract.ts';
import { Problem } from '../parts/dialogs/problem.tsx';
import { escapeUnseen, shownText } from '../parts/text/shown-text.ts';
import { Time } from '../parts/text/time.tsx';
import { useAnswer } from '../shell/asking/answer.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

const SHOWN = 30;

/** The newest events of a customer, as they arrive. */
export function Timeline({ value }: { readonly value: string }) {
  const path = `/tracker?limit=${SHOWN}&correlationValue=${encodeURIComponent(value)}`;
  const { value: answer, error, again } = useAnswer<TrackerRows>(path, status.value?.newestEvent);
  return (
    <section class="stack" aria-label="Events">
      <div class="row">
        <h3 class="grow">Events</h3>
        {answer !== undefined && answer.rows.length > 0 && (
          <a href={link(['tracker'], { correlationValue: value })}>Show in the event tracker</a>
        )}
      </div>
      <Problem error={error} onRetry={again} />
      {answer?.rows.length === 0 && (
        <p class="muted">
          None yet. Events come here whose <code>correlationValue</code> is <code>{shownText(value)}</code>.
        </p>
      )}
      <ol class="timeline">
        {answer?.rows.map((row) => (
          <TimelineItem key={row.id} row={row} />
        ))}
      </ol>
      {answer?.hasMore && (
        <a href={link(['tracker'], { correlationValue: value })}>Older ones are in the event tracker</a>
      )}
    </section>
  );
}

function TimelineItem({ row }: { readonly row: TrackerRow }) {
  return (
    <li>
      <a href={link(['tracker', String(row.id)], { correlationValue: row.correlationValue })}>
        <strong class="cut">{shownText(row.name)}</strong>
        <span class="muted number">
          <Time value={row.receivedAt} />
        </span>
        <code class="cut muted">{escapeUnseen(row.preview)}</code>
      </a>
    </li>
  );
}

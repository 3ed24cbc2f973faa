import type { TrackerRows } from '../../src/admin/contract.ts';
import { Problem } from '../parts/dialog.tsx';
import { EventLinks } from '../parts/facts.tsx';
import { shownText, Time } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

const SHOWN = 30;

/** The newest events of a customer, as they arrive. */
export function Timeline({ value }: { readonly value: string }) {
  const query = { correlationValue: value };
  const path = `/tracker?${new URLSearchParams({ ...query, limit: String(SHOWN) })}`;
  const { value: answer, error, again } = useAnswer<TrackerRows>(path, status.value?.newestEvent);
  const { rows = [], hasMore = false } = answer ?? {};
  return (
    <section class="stack" aria-label="Events">
      <div class="row">
        <h3 class="grow">Events</h3>
        {rows.length > 0 && <a href={link(['tracker'], query)}>Show in the event tracker</a>}
      </div>
      <Problem error={error} onRetry={again} />
      {answer !== undefined && rows.length === 0 && (
        <p class="muted">
          None yet. Events come here whose <code>correlationValue</code> is <code>{shownText(value)}</code>.
        </p>
      )}
      <EventLinks rows={rows} query={query} aside={({ receivedAt }) => <Time value={receivedAt} />} />
      {hasMore && <a href={link(['tracker'], query)}>Older ones are in the event tracker</a>}
    </section>
  );
}

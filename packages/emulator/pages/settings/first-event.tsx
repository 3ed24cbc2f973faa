import type { KeyRows } from '../../src/admin/contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { Empty } from '../parts/dialog.tsx';
import { useAnswer } from '../shell/asking.ts';
import { link } from '../shell/route.ts';
import { snippets } from './snippets.ts';

/**
 * Shown instead of an empty list: how to send an event to this emulator, and what to check if it does not arrive. It waits for the
 * key, so that the snippet does not change while one reads it.
 */
export function FirstEvent({ title }: { readonly title: string }) {
  const { value, error } = useAnswer<KeyRows>('/keys');
  return (
    <Empty title={title}>
      <p>Events and requests are listed as they arrive. Send the first event:</p>
      {(value !== undefined || error !== undefined) && (
        <Snippet label="send an event with curl" text={snippets('curl', value?.keys).send} />
      )}
      <ul class="bullets muted">
        <li>
          <a href={link(['requests'])}>Requests</a> shows each request that has reached the emulator, and why
          it was refused. <a href={link(['settings'])}>Settings</a> has snippets for Sluice and fetch.
        </li>
        <li>
          In a test, ports change with each start, unless you set <code>port</code> and <code>apiPort</code>.
        </li>
        <li>
          From a container, a phone or another machine, <code>127.0.0.1</code> is that machine itself: start
          the emulator with <code>--host 0.0.0.0</code>, and use the address of this machine.
        </li>
        <li>
          A program that ends at once may leave events in its journal: <code>await tracker.close()</code>, and
          look at <code>tracker.stats()</code>.
        </li>
      </ul>
    </Empty>
  );
}

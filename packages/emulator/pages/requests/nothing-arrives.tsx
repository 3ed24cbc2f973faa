import { FirstEvent } from '../settings/first-event.tsx';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

/** What to check if no request arrives, and an example of a request that does arrive. */
export function NothingArrives() {
  const { baseUrl, apiUrl, primaryKey, activeFaults = 0 } = status.value ?? {};
  return (
    <div class="stack">
      <p class="muted">
        The list shows each request as soon as it is answered, also if it was refused. A request that is not
        in the list never reached the emulator. This one does:
      </p>
      <FirstEvent />
      <ul class="bullets">
        {primaryKey === null && (
          <li>
            It will be refused: no primary key is selected. <a href={link(['audience'])}>Select one</a>
          </li>
        )}
        {activeFaults > 0 && (
          <li>
            A fault is switched on, and may act on it. <a href={link(['faults'])}>See which</a>
          </li>
        )}
        <li>
          Events go to <code>{baseUrl}</code>, customers are read at <code>{apiUrl}</code>. In a test, ports
          change with each start, unless you set <code>port</code> and <code>apiPort</code>.
        </li>
        <li>
          From a container, a phone or another machine, <code>127.0.0.1</code> is that machine itself: start
          the emulator with <code>--host 0.0.0.0</code>, and use the address of this machine.
        </li>
        <li>
          A tracker waits up to a second to fill a batch, and a program that ends at once may leave events in
          its journal: <code>await tracker.close()</code>, and look at <code>tracker.stats()</code>.
        </li>
      </ul>
    </div>
  );
}

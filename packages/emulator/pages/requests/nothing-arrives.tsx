import type { KeyRows } from '../../src/admin/contract.ts';
import { Snippet } from '../parts/snippet.tsx';
import { snippets } from '../settings/snippets.ts';
import { useAnswer } from '../shell/answer.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

/** What to check if no request arrives, and an example of a request that does arrive. */
export function NothingArrives() {
  const { value: keys } = useAnswer<KeyRows>('/keys');
  const { baseUrl = '', apiUrl = '', primaryKey, activeFaults = 0 } = status.value ?? {};
  const key = keys?.keys.findLast(({ revokedAt }) => revokedAt === null)?.key;
  const { send } = snippets('curl', {
    baseUrl,
    apiUrl,
    apiKey: key ?? 'API_KEY',
    primaryKey: primaryKey ?? 'email',
  });
  return (
    <div class="stack">
      <p class="muted">
        Each request is listed here as soon as it is answered, the refused ones too. One that is not listed
        never reached the emulator. This one does:
      </p>
      <Snippet label="a request that arrives" text={send} />
      <ul class="meaning">
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
          Events go to <code>{baseUrl}</code>, customers are read at <code>{apiUrl}</code>. Ports change from
          start to start unless you fix them: <code>--port 4100 --api-port 4200</code>.
        </li>
        <li>
          From a container, a phone or another machine, <code>127.0.0.1</code> is that machine itself: start
          the emulator with <code>--host 0.0.0.0</code>, and use the address of this machine.
        </li>
        <li>
          A tracker waits up to a second to fill a batch, and a program that ends at once may leave events in
          its journal: <code>await tracker.close()</code>, and look at <code>tracker.stats()</code>.
        </li>
        <li>
          <a href={link(['settings'])}>Settings</a> has the same for Node and the browser.
        </li>
      </ul>
    </div>
  );
}

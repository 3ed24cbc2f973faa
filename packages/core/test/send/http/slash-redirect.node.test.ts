import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTracker, type Tracker } from '../../../src/index.ts';
import { readOptions } from '../../../src/options/settings.ts';
import { platform as edge } from '../../../src/platform/edge.ts';
import { UndiciTransport } from '../../../src/send/http/undici-transport.ts';
import { describeSlashRedirects } from '../../contracts/slash-redirect-contract.ts';
import { startHostileService } from '../../hostile/hostile-service.ts';
import { Trial } from '../../hostile/trial.ts';

const hostile = await startHostileService();
afterAll(() => hostile.close());

const settings = readOptions({ baseUrl: 'http://service.invalid', correlationKey: 'email' }, edge);
const traits = { isBrowser: false, endsNonsense: true, takesEarlyAnswers: true };
const node = { ...traits, seesConnections: true, takesContinue: false };
describeSlashRedirects('UndiciTransport', new Trial(() => new UndiciTransport(), hostile, node));
const onEdge = { ...traits, seesConnections: false, takesContinue: false };
describeSlashRedirects(
  'The transport of the edge',
  new Trial(() => edge.createTransport(settings), hostile, onEdge),
);

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function create(baseUrl: string): Tracker {
  const tracker = createTracker({
    baseUrl,
    apiKey: 'canary-5f1d',
    correlationKey: 'email',
    journal: 'memory',
  });
  onTestFinished(async () => void (await tracker.close({ timeoutMs: 0 })));
  return tracker;
}

const ada = { correlationValue: 'ada@example.com' };

describe('a tracker whose service redirects', () => {
  it('delivers to the address without the slash, and goes back where the service does', async () => {
    let [home, away] = ['/api/events/batch', '/api/events/batch/'];
    const asked: (string | undefined)[] = [];
    const baseUrl = await serve((request, response) => {
      asked.push(request.url);
      if (request.url === home) response.end('{}');
      else response.writeHead(308, { location: home }).end();
    });
    const tracker = create(baseUrl);
    const deliver = async () => {
      tracker.track('event', {}, ada);
      expect(await tracker.flush()).toMatchObject({ delivered: 1, pending: 0 });
    };
    await deliver();
    await deliver();
    [home, away] = [away, home];
    await deliver();
    await deliver();
    expect(asked).toEqual([home, away, away, away, home, home]);
  });

  it('asks the first address again where the service has left the other', async () => {
    let home = '/api/events/batch';
    const baseUrl = await serve((request, response) => {
      if (request.url === home) response.end('{}');
      else if (home === '/api/events/batch') response.writeHead(308, { location: home }).end();
      else response.writeHead(404).end();
    });
    const tracker = create(baseUrl);
    tracker.track('event', {}, ada);
    expect(await tracker.flush()).toMatchObject({ delivered: 1 });
    home = '/api/events/batch/';
    tracker.track('event', {}, ada);
    expect(await tracker.flush({ timeoutMs: 10_000 })).toMatchObject({ pending: 0 });
  });

  it('pauses where it redirects to another address, says where to, and never sends the key there', async () => {
    let others = 0;
    const other = await serve((_, response) => {
      others += 1;
      response.end('{}');
    });
    const location = `${other}/api/events/batch`;
    const baseUrl = await serve((_, response) =>
      response.writeHead(308, { location }).end('<html>Moved</html>'),
    );
    const tracker = create(baseUrl);
    tracker.track('event', {}, ada);
    expect(await tracker.flush({ timeoutMs: 1_000 })).toMatchObject({ pendingReason: 'wrong-address' });
    expect(others).toBe(0);
    const { lastError, pause } = tracker.stats();
    expect(pause).toMatchObject({
      reason: 'wrong-address',
      status: 308,
      words: location,
      hint: 'check baseUrl',
    });
    expect(lastError?.message).toBe(
      `POST ${baseUrl}/api/events/batch/ was answered 308 with "${location}"; action: pause; check baseUrl`,
    );
  });
});

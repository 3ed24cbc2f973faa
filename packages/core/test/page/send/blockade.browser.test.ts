import { afterEach, describe, expect, it } from 'vitest';
import type { Outcome, Transport } from '../../../src/send/http/transport.ts';
import { LONG } from '../../hostile/trial.ts';
import { pageTransport } from './page-transport.ts';

const request = {
  // The browser itself blocks this port.
  ...{
    url: 'http://127.0.0.1:1/',
    headers: {},
    body: new Uint8Array(10),
    signal: new AbortController().signal,
  },
  timeouts: LONG,
};

const BUFFER = 250;
afterEach(() => performance.setResourceTimingBufferSize(BUFFER));

async function postMany(transport: Transport, count: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let number = 0; number < count; number += 1) outcomes.push(await transport.post(request));
  return outcomes;
}

describe('a page that lets no request through to the service', () => {
  it('says so after a while where others succeed meanwhile', async () => {
    performance.clearResourceTimings();
    performance.setResourceTimingBufferSize(BUFFER);
    const transport = pageTransport();
    const entries = () => performance.getEntriesByType('resource').length;
    const [first] = await postMany(transport, 1);
    expect(first).toMatchObject({ kind: 'failed', maybeSent: true });
    // On a busy machine a request may fail late. Then it counts from there, and another one must succeed meanwhile.
    const blocked = async () => {
      await postMany(transport, 4);
      performance.clearResourceTimings();
      const before = entries();
      await fetch(`/?${Math.random()}`, { cache: 'no-store' }).then((answer) => answer.text());
      // Firefox reports it a little later.
      await expect.poll(entries).toBeGreaterThan(before);
      return (await postMany(transport, 10)).find((outcome) => 'isBlocked' in outcome);
    };
    await expect.poll(blocked).toMatchObject({ isBlocked: true, maybeSent: false });
  });

  it('cannot tell it from a service that is away where no other is made', async () => {
    performance.clearResourceTimings();
    performance.setResourceTimingBufferSize(0);
    const outcomes = await postMany(pageTransport(), 20);
    expect(outcomes.filter((outcome) => 'isBlocked' in outcome)).toEqual([]);
  });
});

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { RelayProcess, variablesOf } from '../bench/relay-process.ts';
import { ADA, directory, pageEvent, service } from '../bench/site.ts';

const KILLS = 5;
const PAGES = 6;

it('SIGKILL under load: no event that was answered with 202 is lost', async () => {
  const emulator = await service();
  const variables = variablesOf(emulator.baseUrl, emulator.apiKey, await directory());
  const taken = new Set<string>();
  const unanswered: object[] = [];
  const missing = async () => {
    const arrived = new Set((await emulator.events()).map(({ uuid }) => uuid));
    return [...taken].filter((uuid) => !arrived.has(uuid));
  };
  for (let life = 0; life <= KILLS; life += 1) {
    const relay = await RelayProcess.start(variables);
    const ticket = await relay.ticket(ADA);
    const before = taken.size;
    const left = unanswered.splice(0);
    let isOver = false;
    const page = async () => {
      while (!isOver || left.length > 0) {
        const body = left.pop() ?? { batch: [pageEvent(), pageEvent()], ticket, parcel: randomUUID() };
        try {
          const { status } = await relay.send(body);
          if (status !== 202) throw new Error(`answered ${status}`);
        } catch {
          // What the next page sends again.
          unanswered.push(body);
          return;
        }
        for (const { uuid } of Reflect.get(body, 'batch')) taken.add(uuid);
      }
    };
    const pages = Array.from({ length: PAGES }, page);
    await expect.poll(() => taken.size).toBeGreaterThan(before + 40);
    isOver = life === KILLS;
    if (!isOver) expect(await relay.end('SIGKILL')).toBe('SIGKILL');
    await Promise.all(pages);
    if (!isOver) continue;
    // A busy machine may take longer than the relay has to deliver at its end.
    await expect.poll(missing).toEqual([]);
    expect(await relay.end('SIGTERM')).toBe(0);
  }
  expect(unanswered).toEqual([]);
});

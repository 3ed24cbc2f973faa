// Tests the built search thread, so they run after a build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Event } from '@sluice/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, event, inspect, type Service, sendEvents, temporaryDirectory } from '../service.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

async function start(data: string, ...args: string[]) {
  const all = [MAIN, '--data', data, '--primary-key', 'email', ...args];
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const service: Service = JSON.parse(String(line));
  const admin = async (path: string) => Object((await ask(`${service.apiUrl}/emulator/admin/${path}`)).body);
  return {
    service,
    admin,
    log: () => log,
    counts: async () => Object((await inspect(service, '/emulator/counts')).body),
    indexed: async () => {
      const { unique, unindexed } = await admin('status');
      return unique - unindexed;
    },
    caughtUp: () => expect.poll(async () => (await admin('status')).unindexed).toBe(0),
    /** Counting has a time limit. On a busy machine it may end before the count is exact: then this asks again. */
    finds: (search: string, count: number) =>
      expect.poll(() => admin(`tracker/count?${search}`)).toEqual({ count, isExact: true }),
    async end(signal: NodeJS.Signals) {
      const exited = once(child, 'exit');
      child.kill(signal);
      return exited;
    },
  };
}

function batch(number: number): Event[] {
  return Array.from({ length: 250 }, (_, at) => {
    const uuid = `01234567-89ab-4cde-8f01-${String(number * 1_000 + at).padStart(12, '0')}`;
    return event({
      uuid,
      event: at % 2 === 0 ? 'purchase' : 'item_to_cart',
      payload: { number, word: `word${at}` },
    });
  });
}

describe('the search of a data directory', () => {
  it('indexes on while events come, and answers meanwhile', async () => {
    const { service, admin, caughtUp, counts, finds, end } = await start(temporaryDirectory());
    for (let number = 0; number < 40; number += 1) {
      await sendEvents(service, ...batch(number));
      const rows = async () => (await admin(`tracker?text=number%20${number}%20word249`)).rows;
      await expect.poll(rows).toHaveLength(1);
    }
    await caughtUp();
    await finds('text=word7', 40 * 11);
    await finds('name=purchase', 5_000);
    await sendEvents(service, ...batch(3));
    expect(await counts()).toMatchObject({ unique: 10_000, received: 10_250 });
    expect(await end('SIGTERM')).toEqual([0, null]);
  });

  it('has lost nothing that was answered for after SIGKILL amid storing and indexing, and catches up', async () => {
    const data = temporaryDirectory();
    let answered = 0;
    for (let life = 0; life < 4; life += 1) {
      const { service, end, counts, indexed } = await start(data);
      expect((await counts()).unique).toBeGreaterThanOrEqual(answered * 250);
      const before = await indexed();
      let killed: Promise<unknown> | undefined;
      const sending = async () => {
        for (let more = life; ; ) {
          await sendEvents(service, ...batch(answered));
          answered += 1;
          if ((await indexed()) > before) more -= 1;
          if (more < 0) killed ??= end('SIGKILL');
        }
      };
      await expect(sending()).rejects.toThrow();
      await killed;
    }
    const { service, caughtUp, counts, finds } = await start(data);
    for (let number = 0; number < answered; number += 1) {
      expect(await sendEvents(service, ...batch(number))).toMatchObject({ body: { repeated: 250 } });
    }
    await caughtUp();
    await finds('text=number', (await counts()).unique);
  });

  it.each([
    ['is missing', (path: string) => rmSync(path)],
    ['is something else', (path: string) => writeFileSync(path, 'something else '.repeat(1_000))],
    ['is cut short', (path: string) => writeFileSync(path, '')],
    ['is damaged', damagePages],
  ])('makes an index anew that %s', async (_, harm) => {
    const data = temporaryDirectory();
    const first = await start(data);
    for (let number = 0; number < 10; number += 1) await sendEvents(first.service, ...batch(number));
    await first.caughtUp();
    await expect.poll(() => existsSync(join(data, 'emulator-search.db'))).toBe(true);
    await first.end('SIGTERM');
    harm(join(data, 'emulator-search.db'));

    const second = await start(data);
    for (let number = 0; number < 11; number += 1) {
      const repeated = number < 10 ? 250 : 0;
      expect(await sendEvents(second.service, ...batch(number))).toMatchObject({ body: { repeated } });
    }
    await second.finds('text=number%20word2', 11 * 61);
    await second.caughtUp();
    await second.finds('name=purchase', 11 * 125);
    expect(await second.end('SIGTERM')).toEqual([0, null]);
  });

  it('lets go of what retention removed', async () => {
    const { service, admin, caughtUp, finds } = await start(temporaryDirectory(), '--max-events', '500');
    for (let number = 0; number < 8; number += 1) await sendEvents(service, ...batch(number));
    await expect.poll(async () => (await admin('status')).unique).toBe(500);
    await caughtUp();
    await finds('text=number', 500);
    await finds('text=number%205%20word1', 0);
    const rows = async () => (await admin('tracker?text=number%207%20word10&limit=1')).rows;
    await expect.poll(rows).toHaveLength(1);
  });
});

/** Overwrites all but the first two pages. */
function damagePages(path: string): void {
  const file = openSync(path, 'r+');
  const noise = Buffer.alloc(4_096, 0x5a);
  for (let at = 8_192; at < statSync(path).size; at += 4_096) writeSync(file, noise, 0, 4_096, at);
  closeSync(file);
}

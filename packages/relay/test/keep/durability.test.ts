import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, open, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { platform } from 'node:process';
import { FileJournal } from '@sluice/core/file-journal';
import { VirtualClock } from '@sluice/core/testing';
import { systemClock } from '@sluice/protocol/toolbox';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { createRelay, type Relay, toNodeHandler } from '../../src/index.ts';
import { directory, listen, openSite, optionsOf, pageEvent, SILENT, Site, service } from '../bench/site.ts';

/** Makes a named pipe: whoever opens it to read waits for a writer. */
const MAKE_PIPE = 'mkfifo';

describe('202', () => {
  it('is not answered by a relay that cannot write', async () => {
    const path = join(await directory(), 'file');
    await writeFile(path, '');
    const site = await openSite({ ...optionsOf(await service()), directory: path, logger: SILENT });
    const answered = await site.send({ batch: [pageEvent()], ticket: await site.ticket() });
    expect(answered).toMatchObject({
      status: 503,
      body: { error: 'not_durable' },
      headers: { 'retry-after': '1' },
    });
    expect(site.relay.isReady()).toBe(false);
  });

  it('is not answered while the journal fails, and what a page sends again meanwhile is delivered once', async () => {
    const journal = new FileJournal({ directory: await directory(), fsync: 'always', clock: systemClock });
    journal.append = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
    const emulator = await service();
    const tracker = { journal, batch: { maxWaitMs: 0 } };
    const site = await openSite(optionsOf(emulator, { tracker, logger: SILENT }));
    const body = { batch: [pageEvent()], ticket: await site.ticket() };
    expect((await site.send(body)).status).toBe(503);
    await expect.poll(() => emulator.countEvents()).toMatchObject({ received: 1 });
    for (let time = 0; time < 5; time += 1) await site.send(body);
    await site.relay.close();
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 1 });
  });

  it('is answered once a directory that could not be used can be; meanwhile the log says why, also one that fails', async () => {
    const path = join(await directory(), 'file');
    await writeFile(path, '');
    const logged: unknown[] = [];
    const error = (...line: unknown[]) => {
      logged.push(line);
      throw new Error('the disk of the log is full');
    };
    const logger = { ...SILENT, error };
    const clock = new VirtualClock(Date.now());
    const emulator = await service();
    const site = await openSite({ ...optionsOf(emulator, { logger, clock }), directory: path });
    const body = { batch: [pageEvent()], ticket: await site.ticket() };
    expect((await site.send(body)).status).toBe(503);
    expect(logged).toContainEqual([
      { err: expect.objectContaining({ message: expect.stringContaining(path) }) },
      'Sluice relay: its directory cannot be used, and pages get 503 until it can',
    ]);
    await rm(path);
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return (await site.send(body)).status;
      })
      .toBe(202);
  });

  it.runIf(platform === 'linux')(
    'is not waited for in a place where nobody can make a directory',
    async () => {
      const options = { ...optionsOf(await service()), directory: '/proc/sluice/relay', logger: SILENT };
      const relay = createRelay(options);
      await relay.close();
      expect(relay.isReady()).toBe(false);
    },
  );

  it('is answered although a full disk or a power cut left an empty key of the window', async () => {
    const path = await directory();
    await writeFile(join(path, 'window.key'), '');
    const site = await openSite({ ...optionsOf(await service()), directory: path });
    const body = { batch: [pageEvent()], ticket: await site.ticket() };
    expect((await site.send(body)).status).toBe(202);
  });

  it('is not answered while the key of the window cannot be read: it may be whole', async () => {
    const path = await directory();
    const key = join(path, 'window.key');
    await symlink(key, key);
    const site = await openSite({ ...optionsOf(await service(), { logger: SILENT }), directory: path });
    const body = { batch: [pageEvent()], ticket: await site.ticket() };
    expect((await site.send(body)).status).toBe(503);
    expect((await lstat(key)).isSymbolicLink()).toBe(true);
  });

  it('is answered once a journal of its own is durable, which is used in place of files in the directory', async () => {
    const place = await directory();
    const journal = new FileJournal({ directory: place, fsync: 'always', clock: systemClock });
    const isDurable = { now: false };
    const sync = journal.sync.bind(journal);
    journal.sync = async () => {
      if (!isDurable.now) throw new Error('the server only promises');
      await sync();
    };
    const emulator = await service();
    const logged: unknown[] = [];
    const logger = { ...SILENT, error: (...line: unknown[]) => void logged.push(line) };
    const site = await openSite(optionsOf(emulator, { tracker: { journal }, logger }));
    const ticket = await site.ticket();
    expect((await site.send({ batch: [pageEvent()], ticket })).body).toMatchObject({ error: 'not_durable' });
    expect(logged).toMatchObject([
      [
        { err: { cause: { message: 'the server only promises' } } },
        'Sluice relay: events are not durable, and pages keep them',
      ],
    ]);
    isDurable.now = true;
    expect((await site.send({ batch: [pageEvent()], ticket })).status).toBe(202);
    await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    expect(await readdir(place)).not.toEqual([]);
  });
});

it('a relay is not ready for 10 seconds after its journal was full, also if small events still find room', async () => {
  const emulator = await service();
  await emulator.suspend();
  const clock = new VirtualClock(Date.now());
  const tracker = { storage: { maxBytes: 256 * 1024 } };
  const site = await openSite(optionsOf(emulator, { tracker, logger: SILENT, clock }));
  const ticket = await site.ticket();
  const send = async (text: string) =>
    (await site.send({ batch: [pageEvent({ payload: { text } })], ticket })).status;
  await expect.poll(() => send('x'.repeat(20_000))).toBe(503);
  expect(await send('small')).toBe(202);
  expect(site.relay.isReady()).toBe(false);
  await clock.advance(10_000);
  expect(site.relay.isReady()).toBe(true);
});

describe('close()', () => {
  /** Resolves once the relay is closed, though its clock stands still. */
  const closed = async (relay: Relay, clock: VirtualClock) => {
    let isClosed = false;
    const closing = relay.close({ timeoutMs: 0 }).then(() => {
      isClosed = true;
    });
    await vi.waitFor(async () => {
      await clock.advance(5_000);
      expect(isClosed).toBe(true);
    }, PATIENCE);
    await closing;
  };

  it('ends although a sync never does', async () => {
    const journal = new FileJournal({ directory: await directory(), fsync: 'always', clock: systemClock });
    journal.sync = () => new Promise(() => {});
    const clock = new VirtualClock(Date.now());
    const emulator = await service();
    const options = optionsOf(emulator, { tracker: { journal, batch: { maxWaitMs: 0 } }, clock });
    const relay = createRelay({ ...options, directory: await directory() });
    const site = new Site(relay, await listen(toNodeHandler(relay)));
    const ticket = await site.ticket();
    site.send({ batch: [pageEvent()], ticket }).catch(() => undefined);
    await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    await closed(relay, clock);
  });

  it.skipIf(platform === 'win32')('ends although the disk of its directory hangs', async () => {
    const path = await directory();
    const key = join(path, 'window.key');
    execFileSync(MAKE_PIPE, [key]);
    const clock = new VirtualClock(Date.now());
    const relay = createRelay({ ...optionsOf(await service(), { clock }), directory: path });
    await closed(relay, clock);
    await (await open(key, 'r+')).close();
    await expect.poll(async () => (await lstat(key)).isFile()).toBe(true);
  });
});

it('a journal that does not outlive the process is refused: no event in it would ever be durable', async () => {
  const own = new FileJournal({ directory: await directory(), fsync: 'always', clock: systemClock });
  for (const journal of ['memory', Object.assign(own, { survives: false })] as const) {
    const options = optionsOf({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key' }, { tracker: { journal } });
    expect(() => createRelay(options)).toThrow(
      'tracker.journal must outlive the process; a relay without a disk needs durability: "upstream"',
    );
    await createRelay({ ...options, durability: 'upstream' }).close();
  }
});

it('two accounts of one service keep their events apart; without an account, the directory stays where it was', async () => {
  const path = await directory();
  for (const name of ['HOME', 'XDG_STATE_HOME', 'LOCALAPPDATA']) vi.stubEnv(name, path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const got: unknown[] = [];
  const baseUrl = await listen((request, response) => {
    request.resume();
    const { authorization } = request.headers;
    request.on('end', () => {
      got.push(authorization);
      response.writeHead(authorization === 'Api-Key one' ? 503 : 200).end();
    });
  });
  for (const account of ['one', 'two', undefined]) {
    const options = optionsOf({ baseUrl, apiKey: `${account}` }, { tracker: { account }, logger: SILENT });
    const relay = createRelay(options);
    const site = new Site(relay, await listen(toNodeHandler(relay)));
    expect(await site.send({ batch: [pageEvent()], ticket: await site.ticket() })).toMatchObject({
      status: 202,
    });
    await relay.close({ timeoutMs: account === 'one' ? 0 : PATIENCE.timeout });
  }
  expect(got.filter((key) => key !== 'Api-Key one')).toEqual(['Api-Key two', 'Api-Key undefined']);
  const names = (await readdir(path, { recursive: true })).map((name) => basename(name));
  const hash = createHash('sha256').update(`${baseUrl}/ email`).digest('hex').slice(0, 16);
  expect(names.filter((name) => name.startsWith('relay-'))).toHaveLength(3);
  expect(names).toContain(`relay-${hash}`);
});

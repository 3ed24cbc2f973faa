import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import { leaveEvents, makeFolder, startService } from './folder.ts';
import { ended, sluice, start } from './sluice-process.ts';

/** A text that a small journal has no room for. */
const LARGE = 'x'.repeat(100_000);

const eventOf = (fields: object) =>
  JSON.stringify({ event: 'purchase', correlationValue: 'ada@example.com', ...fields });
const event = (total: number | string) => eventOf({ payload: { total } });

describe('sluice send', () => {
  it('sends the events of a file, puts bad lines aside, and does not send it twice', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const path = join(folder, 'events.ndjson');
    await writeFile(
      path,
      [event(1), '{"event":', '', event(2), '{"event":"x","color":"red"}', event(3)].join('\n'),
    );
    const journal = ['--journal', join(folder, 'journal')];
    const first = await sluice(['send', path, ...journal, '--json'], env);
    expect(JSON.parse(first.output)).toMatchObject({ records: 5, rejected: 2, delivered: 3, left: 0 });
    expect(first.code).toBe(1);
    const rejects = (await readFile(`${path}.rejects.ndjson`, 'utf8')).trim().split('\n');
    expect(rejects.map((line) => JSON.parse(line))).toMatchObject([
      { line: 2, reason: 'it is no JSON', text: '{"event":' },
      { line: 5, reason: expect.stringContaining('"color" is no field of an event') },
    ]);
    const second = await sluice(['send', path, ...journal], env);
    expect(second.errors).toContain('was read to its end before: --again sends it again');
    expect(await emulator.countEvents()).toEqual({ unique: 3, received: 3 });
    await sluice(['send', path, ...journal, '--again'], env);
    expect(await emulator.countEvents()).toEqual({ unique: 3, received: 6 });
  });

  it('sends the events of standard input', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const send = ['send', '-', '--journal', 'j', '--json'];
    const { code, output, errors } = await sluice(send, env, folder, event(1));
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(JSON.parse(output)).toMatchObject({ records: 1, rejected: 0, delivered: 1, left: 0 });
    expect((await emulator.countEvents()).received).toBe(1);
  });

  it('sends nothing if flags name a column that a CSV file does not have, and says where rejects cannot go', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const path = join(folder, 'users.csv');
    await writeFile(path, 'email,plan\nada@example.com,free\n');
    const send = ['send', path, '--event', 'x', '--journal', join(folder, 'j')];
    expect(await sluice([...send, '--map', 'correlationValue=mail'], env)).toEqual({
      ...{ code: 2, output: '' },
      errors: 'sluice: there is no column "mail": correct --map or --numbers; there are email, plan\n',
    });
    const rejects = join(folder, 'nowhere', 'rejects');
    expect(await sluice([...send, '--rejects', rejects], env)).toEqual({
      ...{ code: 1, output: '' },
      errors: `sluice: cannot write bad records to ${rejects}: name another file with --rejects\n`,
    });
    expect((await sluice(send, env)).output).toContain(
      '(the first at 2: it has no customer: give --customer VALUE',
    );
    expect((await emulator.countEvents()).received).toBe(0);
  });

  it('skips only events that are in the journal, and not those that another one names in its payload', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const path = join(folder, 'events.ndjson');
    const journal = join(folder, 'j');
    const [sale, refund] = [randomUUID(), randomUUID()];
    await writeFile(path, [eventOf({ uuid: sale }), eventOf({ uuid: refund })].join('\n'));
    await leaveEvents(journal, 1, { uuid: refund, payload: { of: { uuid: sale } } });
    expect((await sluice(['send', path, '--journal', journal], env)).code).toBe(0);
    expect(await emulator.countEvents()).toEqual({ unique: 2, received: 2 });
  });

  it('sends also what was delivered of a file that is to be sent again, and once what still waits', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await writeFile(join(folder, 'events.ndjson'), [event(1), event(2), event(3)].join('\n'));
    const config = { batch: { maxEvents: 1 }, delivery: { maxConcurrency: 1 } };
    await writeFile(join(folder, 'sluice.config.json'), JSON.stringify(config));
    const send = ['send', 'events.ndjson', '--journal', 'j', '--json'];
    const fault = emulator.fail({ kind: 'status', status: 503, skip: 2 });
    const child = start(send, env, folder);
    const refused = () => emulator.requests({ outcome: 'fault' });
    await vi.waitFor(async () => expect(await refused()).not.toEqual([]), PATIENCE);
    child.kill('SIGINT');
    expect(JSON.parse((await ended(child)).output)).toMatchObject({ delivered: 2, left: 1 });
    fault.stop();
    expect((await sluice([...send, '--again'], env, folder)).code).toBe(0);
    expect(await emulator.countEvents()).toEqual({ unique: 3, received: 5 });
  });

  it('names the file with the position if that is damaged, and sends all with --again', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await writeFile(join(folder, 'events.ndjson'), event(1));
    const send = ['send', 'events.ndjson', '--journal', 'j'];
    await sluice(send, env, folder);
    const [name = ''] = await readdir(join(folder, 'j', 'sends'));
    const position = join(folder, 'j', 'sends', name);
    await writeFile(position, '{"number":');
    expect(await sluice(send, env, folder)).toEqual({
      ...{ code: 1, output: '' },
      errors: `sluice: cannot read from ${position} how far the file was sent: delete it or give --again, and all of the file is sent\n`,
    });
    expect((await sluice([...send, '--again'], env, folder)).code).toBe(0);
    expect((await emulator.countEvents()).received).toBe(2);
  });

  it('does not advise to delete a position that it may not read', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await writeFile(join(folder, 'events.ndjson'), event(1));
    const send = ['send', 'events.ndjson', '--journal', 'j'];
    await sluice(send, env, folder);
    const [name = ''] = await readdir(join(folder, 'j', 'sends'));
    const position = join(folder, 'j', 'sends', name);
    // Root may read all files, but none that is a directory.
    await rm(position);
    await mkdir(position);
    const errors = (code: string) =>
      `sluice: ${position} says how far the file was sent, and cannot be used (${code}): run it as the user that owns the journal\n`;
    expect(await sluice(send, env, folder)).toEqual({ code: 1, output: '', errors: errors('EISDIR') });
    expect(await sluice([...send, '--again'], env, folder)).toEqual({
      ...{ code: 1, output: '', errors: errors('ERR_FS_EISDIR') },
    });
  });

  it('takes no bad record out of a file that two sendings share, however often they go on', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await writeFile(join(folder, 'a.ndjson'), `{"a":\n${event(1)}`);
    await writeFile(join(folder, 'b.ndjson'), '{"b":\n');
    for (const file of ['a', 'b', 'a'])
      await sluice(['send', `${file}.ndjson`, '--journal', 'j', '--rejects', 'all'], env, folder);
    const texts = (await readFile(join(folder, 'all'), 'utf8')).trim().split('\n');
    expect(texts.map((line) => JSON.parse(line).text)).toEqual(['{"a":', '{"b":']);
  });

  it('keeps all bad records of standard input, and the whole of each', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    const records = [`{"one":"${'1'.repeat(5_000)}`, '{"two":'];
    for (const record of records)
      await ended(start(['send', '-', '--journal', 'j'], env, folder, `${record}\n`));
    const lines = (await readFile(join(folder, 'stdin.rejects.ndjson'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).text)).toEqual(records);
  });

  it('prints no control character of a file', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await writeFile(join(folder, 'bad.ndjson'), '{"\\u001b[2J\\u001b[31mX\\nfake line":1}\n');
    const { output } = await sluice(['send', 'bad.ndjson', '--journal', 'j'], env, folder);
    expect(output).toContain('" [2J [31mX fake line" is no field of an event');
  });

  it('does not write bad records over the file itself', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    const path = join(folder, 'events.ndjson');
    await writeFile(path, '{"event":\n');
    await symlink(path, join(folder, 'rejects'));
    for (const rejects of ['events.ndjson', 'rejects'])
      expect(await sluice(['send', path, '--rejects', rejects, '--journal', 'j'], env, folder)).toEqual({
        ...{ code: 2, output: '' },
        errors: `sluice: --rejects must not be ${path} itself: it would be written over\n`,
      });
    expect(await readFile(path, 'utf8')).toBe('{"event":\n');
  });

  it('writes bad records after what somebody else has written, and after its own', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await writeFile(join(folder, 'events.ndjson'), '{"event":\n');
    await writeFile(join(folder, 'other'), 'precious');
    const send = ['send', 'events.ndjson', '--journal', 'j', '--rejects'];
    for (const again of [[], ['--again']]) {
      const { code, output } = await sluice([...send, 'other', ...again], env, folder);
      expect([code, output]).toEqual([1, expect.stringContaining('1 bad record in other')]);
    }
    const [first, ...others] = (await readFile(join(folder, 'other'), 'utf8')).trim().split('\n');
    expect(first).toMatch(/^precious\{"line":1,/);
    expect(others).toHaveLength(1);
  });

  it('makes events of the rows of a CSV file', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const path = join(folder, 'users.csv');
    await writeFile(
      path,
      '\uFEFFemail;date;plan;seats\nada@example.com;2026-01-02;"a ""b"" c";3\nbob@example.com;;free;x\n',
    );
    const mapping = [
      '--event',
      'signed_up',
      '--map',
      'correlationValue=email,timestamp=date',
      '--numbers',
      'seats',
    ];
    const { output } = await sluice(
      ['send', path, ...mapping, '--journal', join(folder, 'j'), '--json'],
      env,
    );
    expect(JSON.parse(output)).toMatchObject({ records: 2, rejected: 1, delivered: 1 });
    const [stored] = await emulator.events();
    expect(stored?.event).toMatchObject({
      ...{ event: 'signed_up', correlationValue: 'ada@example.com', timestamp: '2026-01-02T00:00:00.000Z' },
      payload: { plan: 'a "b" c', seats: 3 },
    });
  });

  it('sends nothing, and says so, if the settings switch the tracker off', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await writeFile(join(folder, 'events.ndjson'), event(1));
    await writeFile(join(folder, 'sluice.config.json'), '{"enabled":false}');
    expect(await sluice(['send', 'events.ndjson', '--journal', 'j'], env, folder)).toEqual({
      ...{ code: 2, output: '' },
      errors: 'sluice: enabled is false in sluice.config.*: nothing would be sent; correct it, or --config\n',
    });
  });

  it('fails if the journal has no room for events, and not if the settings leave some out', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const path = join(folder, 'events.ndjson');
    await writeFile(
      path,
      Array.from({ length: 2_000 }, (_, index) => event(index < 1_999 ? index : LARGE)).join('\n'),
    );
    const config = join(folder, 'sluice.config.mjs');
    const send = ['send', path, '--config', config, '--json', '--again', '--journal', join(folder, 'j')];
    await writeFile(config, `export default { sample: 0 };`);
    const sampled = await sluice(send, env);
    expect(sampled).toMatchObject({ code: 0, output: expect.stringContaining('"sampled":2000') });
    await writeFile(config, `export default { storage: { maxBytes: 65536 }, batch: { maxWaitMs: 10 } };`);
    const full = await sluice(send, env);
    expect(full).toMatchObject({ code: 1, output: expect.stringMatching(/"journal-full":.*"left":0/) });
    expect(JSON.parse(full.output).isComplete).toBe(false);
    // The next one begins before what was dropped.
    await writeFile(config, `export default {};`);
    const next = await sluice(
      send.filter((arg) => arg !== '--again'),
      env,
    );
    expect(next).toMatchObject({ code: 0, errors: '' });
    expect((await emulator.countEvents()).unique).toBe(2_000);
  });

  it('ends where only a person can help, also if more waits than is read ahead, and goes on there', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const path = join(folder, 'events.ndjson');
    await writeFile(path, Array.from({ length: 25_000 }, (_, index) => event(index)).join('\n'));
    const send = ['send', path, '--journal', 'j', '--json'];
    const wrong = await sluice(send, { ...env, SLUICE_API_KEY: 'wrong' }, folder);
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('"reason":"unauthorized"') });
    expect(JSON.parse(wrong.output)).toMatchObject({ isComplete: false });
    const right = await sluice(send, env, folder);
    expect(JSON.parse(right.output)).toMatchObject({ records: 25_000, delivered: 25_000, left: 0 });
    expect(await emulator.countEvents()).toEqual({ unique: 25_000, received: 25_000 });
  });

  it('is done if all is delivered, also where Ctrl-C came meanwhile', async () => {
    const folder = makeFolder();
    await writeFile(join(folder, 'events.ndjson'), event(1));
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        child.kill('SIGINT');
        response.end('{}');
      });
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const env = { SLUICE_BASE_URL: `http://127.0.0.1:${port}`, SLUICE_CORRELATION_KEY: 'email' };
    const child = start(['send', 'events.ndjson', '--journal', 'j', '--json'], env, folder);
    const { code, output } = await ended(child);
    expect(JSON.parse(output)).toMatchObject({ delivered: 1, left: 0 });
    expect(code).toBe(0);
  });

  it('reads no faster than a small journal gets room', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const path = join(folder, 'events.ndjson');
    const rows = Array.from({ length: 100 }, (_, row) => JSON.stringify({ row, text: 'x'.repeat(10_000) }));
    await writeFile(path, rows.join('\n'));
    await writeFile(
      join(folder, 'sluice.config.json'),
      JSON.stringify({ storage: { maxBytes: 100_000 }, batch: { maxWaitMs: 10 } }),
    );
    const send = ['send', path, '--event', 'row', '--customer', 'ada@example.com', '--journal', 'j'];
    expect(await sluice(send, env, folder)).toMatchObject({ code: 0 });
    expect((await emulator.countEvents()).unique).toBe(100);
  });
});

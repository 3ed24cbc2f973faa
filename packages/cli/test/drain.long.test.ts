import { once } from 'node:events';
import { open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import { API_KEY, leaveEvents, makeFolder, startService } from './folder.ts';
import { after, ended, sluice, start } from './sluice-process.ts';

describe('sluice drain', () => {
  it('delivers what a process left, and says what it did', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 50);
    const { code, output, errors } = await sluice(['drain', folder, '--json'], env);
    expect(JSON.parse(output)).toMatchObject({ delivered: 50, left: 0 });
    expect(await emulator.countEvents()).toEqual({ unique: 50, received: 50 });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(await sluice(['drain', folder], env)).toEqual({
      code: 0,
      output: 'nothing to deliver\n',
      errors: '',
    });
  });

  it('ends with 1, and says why, if it cannot open the journal', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 50);
    // As on a disk that became read-only.
    const script = `import { promises } from 'node:fs';
      promises.mkdir = async () => { throw Object.assign(new Error('read-only file system'), { code: 'EROFS' }); };`;
    const { code, output } = await sluice(['drain', folder], after(script, env));
    expect(output).toMatch(
      /^delivered 0 events in .*; 50 left in the journal: storage: .*read-only file system/,
    );
    expect(code).toBe(1);
    expect((await sluice(['drain', folder], env)).code).toBe(0);
    expect(await emulator.countEvents()).toEqual({ unique: 50, received: 50 });
  });

  it('ends with 1 if files of another version are left, and says so', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 1);
    const names = await readdir(folder, { recursive: true });
    const file = await open(join(folder, names.find((name) => name.endsWith('.segment')) ?? ''), 'r+');
    const header = Buffer.alloc(32);
    await file.read(header, 0, 32, 0);
    header.writeUInt8(99, 8);
    header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
    await file.write(header, 0, 32, 0);
    await file.close();
    expect(await sluice(['drain', folder], env)).toEqual({
      code: 1,
      output: 'nothing to deliver\n',
      errors: '1 file of another version of Sluice: use that version to deliver them\n',
    });
    expect(await sluice(['drain', folder, '--json'], env)).toMatchObject({
      code: 1,
      output: '{"delivered":0,"left":0,"foreign":1}\n',
    });
  });

  it('leaves a consistent journal on Ctrl-C, and delivers each event once in the end', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 200);
    // A request that Ctrl-C cuts may have arrived, and is sent again. So the service takes only the first one, and when it gets
    // the second one, the first is answered.
    const fault = emulator.fail({ kind: 'status', status: 503, skip: 1 });
    const child = start(['drain', folder, '--rate', '20', '--json'], env);
    await vi.waitFor(
      async () => expect(await emulator.requests({ outcome: 'fault' })).not.toEqual([]),
      PATIENCE,
    );
    child.kill('SIGINT');
    const { code, output } = await ended(child);
    expect(JSON.parse(output)).toMatchObject({ delivered: 20, left: 180 });
    expect(code).toBe(130);
    expect((await sluice(['verify', folder], env)).output).toContain('no damage');
    // Not before: the service may still have to read a request that was cut.
    fault.stop();
    expect((await sluice(['drain', folder, '--json'], env)).code).toBe(0);
    expect(await emulator.countEvents()).toEqual({ unique: 200, received: 200 });
  });

  it('goes on where nobody reads its progress any more', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 130);
    const child = start(['drain', folder, '--rate', '20'], env);
    // Its progress comes every five seconds.
    child.stderr.destroy();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  it('is no faster than it may be', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 60);
    const { output } = await sluice(['drain', folder, '--rate', '20', '--json'], env);
    const { delivered, durationMs } = JSON.parse(output);
    expect(delivered).toBe(60);
    expect((delivered * 1_000) / durationMs).toBeLessThanOrEqual(20);
  });

  it('ends when the key is refused, says so without the key, and keeps all events', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 5);
    const wrong = { ...env, SLUICE_API_KEY: `${API_KEY}-wrong` };
    const { code, output, errors } = await sluice(['drain', folder], wrong);
    expect(output).toMatch(
      /5 left in the journal: unauthorized: POST \S+ was answered 403 with .*; check apiKey$/m,
    );
    expect(output + errors).not.toContain(API_KEY);
    expect(code).toBe(1);
  });

  it('stops when it was told to, and leaves the rest', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 200);
    // From when it has started: on a busy machine that takes long.
    const { code, output } = await sluice(['drain', folder, '--rate', '10', '--until', '4s', '--json'], env);
    const { delivered, left } = JSON.parse(output);
    expect(delivered + left).toBe(200);
    expect(left).toBeGreaterThan(0);
    expect(code).toBe(1);
  });

  it('takes a flag before a variable, and a variable before the file', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const nowhere = 'http://127.0.0.1:9';
    await writeFile(join(folder, 'sluice.config.json'), JSON.stringify({ baseUrl: nowhere }));
    const journal = join(folder, 'journal');
    await leaveEvents(journal, 1);
    expect((await sluice(['drain', journal], env, folder)).code).toBe(0);
    await leaveEvents(journal, 1);
    const flags = ['--base-url', emulator.baseUrl];
    const misled = { ...env, SLUICE_BASE_URL: nowhere };
    expect((await sluice(['drain', journal, ...flags], misled, folder)).code).toBe(0);
    expect(await emulator.countEvents()).toEqual({ unique: 2, received: 2 });
  });
});

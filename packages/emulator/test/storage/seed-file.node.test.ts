import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { event, sendEvents, temporaryDirectory } from '../service.ts';

const UUID = '01234567-89ab-4cde-8f01-23456789abcd';

function seedFile(...lines: string[]): string {
  const path = join(temporaryDirectory(), 'seed.ndjson');
  writeFileSync(path, lines.join('\n'));
  return path;
}

describe('a seed file', () => {
  it('is there when the emulator is, in its order and as its text', async () => {
    const text = `{"uuid":"${UUID}", "event":"ünï","correlationKey":"email","correlationValue":"a","source":"custom","payload":{"n":1.0}}`;
    const seed = seedFile(`\uFEFF${JSON.stringify(event())}`, '', `${text}\r`);
    await using emulator = await startEmulator({ seed });
    expect(await emulator.events()).toMatchObject([
      { event: event() },
      { event: { event: 'ünï' }, uuid: UUID },
    ]);
    const response = await fetch(`${emulator.apiUrl}/emulator/admin/tracker/export?name=ünï`);
    expect(await response.text()).toBe(`${text}\n`);
  });

  it('counts repeats of a uuid, in it and after it', async () => {
    const line = JSON.stringify(event({ uuid: UUID }));
    await using emulator = await startEmulator({ primaryKey: 'email', seed: seedFile(line, line) });
    await sendEvents(emulator, event({ uuid: UUID }));
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 3 });
  });

  it('is longer than what is read at once', async () => {
    const lines = Array.from({ length: 4_000 }, (_, at) =>
      JSON.stringify(event({ payload: { at, text: 'ö'.repeat(200) } })),
    );
    await using emulator = await startEmulator({ seed: seedFile(...lines) });
    const events = await emulator.events();
    expect(events.map(({ event: { payload } }) => payload?.at)).toEqual(lines.map((_, at) => at));
  });

  it('is left out where there are events already', async () => {
    const data = temporaryDirectory();
    const seed = seedFile(JSON.stringify(event()));
    for (const reset of [false, false, true]) {
      await using emulator = await startEmulator({ data, seed, reset });
      expect(await emulator.countEvents()).toEqual({ unique: 1, received: 1 });
    }
  });

  it.each([
    ['{', 'line 3: '],
    ['[]', 'line 3: event must be an object, got an array'],
    ['{"event":""}', 'line 3: event.event must be a non-empty string, got an empty string'],
    [JSON.stringify(event({ uuid: 'x' })), 'line 3: event.uuid must be a UUID, got string "x"'],
  ])('with %s in it is refused with its line, and nothing of it stays', async (line, message) => {
    const data = temporaryDirectory();
    const seed = seedFile(JSON.stringify(event()), JSON.stringify(event()), line);
    await expect(startEmulator({ data, seed })).rejects.toMatchObject({
      option: 'seed',
      message: expect.stringContaining(message),
    });
    await using emulator = await startEmulator({ data });
    expect(await emulator.countEvents()).toEqual({ unique: 0, received: 0 });
  });

  it('that is not there is named', async () => {
    await expect(startEmulator({ seed: '/nowhere/seed.ndjson' })).rejects.toThrow(
      /seed must be a file .*nowhere.*ENOENT/,
    );
  });
});

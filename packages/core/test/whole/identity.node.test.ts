import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createTracker, type Tracker, type TrackerOptions } from '../../src/index.ts';
import { FileNote } from '../../src/keep/file/disk/file-note.ts';
import { answered } from '../bench/scripted-transport.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
let directory = '';
/** The customers of the events that the service took. */
let customers: string[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(scratch, 'journal-'));
  customers = [];
});
afterAll(() => rm(scratch, { recursive: true }));

function create(options: Partial<TrackerOptions> = {}): Tracker {
  const post: NonNullable<TrackerOptions['transport']>['post'] = async ({ body }) => {
    for (const event of JSON.parse(new TextDecoder().decode(body)).batch)
      customers.push(event.correlationValue);
    return answered(200);
  };
  return createTracker({
    ...{ baseUrl: 'https://service.example', correlationKey: 'email', journalDirectory: directory },
    ...{ unidentified: { hold: true }, transport: { post, close: async () => {} }, ...options },
  });
}

describe('a program before sign-in', () => {
  it('leaves what it held to its next life, which delivers it once the user is there', async () => {
    const first = create();
    for (let number = 0; number < 1_000; number += 1) first.track('opened', { number });
    expect(await first.close()).toMatchObject({ pending: 1_000, dropped: 0 });
    const second = create();
    second.identify('ada@example.com');
    await second.durable();
    await second.close();
    expect(second.stats()).toMatchObject({ recovered: 1_000, delivered: 1_000, pending: 0 });
    expect(customers).toEqual(Array.from({ length: 1_000 }, () => 'ada@example.com'));
  });

  it('gives nothing of a user who is gone to the next one', async () => {
    const first = create();
    first.track('opened');
    first.identify('ada@example.com');
    first.reset();
    first.track('opened');
    await first.close();
    const second = create();
    second.track('opened');
    second.identify('bob@example.com');
    await second.flush();
    await second.close();
    expect(customers).toEqual(['ada@example.com', 'bob@example.com', 'bob@example.com']);
  });

  it.each([
    // The hashes that once told users apart: FNV-1a with 32 bits, and a polynomial with 44 bits, whatever comes before the text.
    ['user449599@example.com', 'user612382@example.com'],
    ['njpapdit@example.com', 'mpauakwt@example.com'],
  ])('gives nothing of %s to %s, whose short hash is the same', async (one, other) => {
    const first = create();
    first.identify(one);
    await first.durable();
    await first.close();
    const second = create();
    second.track('opened');
    second.identify(other);
    expect(await second.flush()).toMatchObject({ delivered: 0, dropped: 1 });
    await second.close();
    expect(customers).toEqual([]);
  });

  it('keeps a digest of its user with 256 bits, made with a secret key of its own', async () => {
    const notes = new Set<string>();
    for (const name of ['one', 'two']) {
      const tracker = create({ journalDirectory: join(directory, name) });
      tracker.identify('ada@example.com');
      await tracker.durable();
      await tracker.close();
      notes.add(await readFile(join(directory, name, 'unidentified', 'session'), 'utf8'));
    }
    expect(notes.size).toBe(2);
    for (const note of notes) expect(note).toMatch(/^ [0-9a-f]{64}$/);
  });

  it('makes no place for what is held where nothing is to be held', async () => {
    const tracker = create({ unidentified: { hold: false } });
    tracker.identify('ada@example.com');
    tracker.track('opened');
    tracker.reset();
    await tracker.close();
    expect(await readdir(directory)).not.toContain('unidentified');
  });
});

describe('a note in a file', () => {
  it('is there for the next life, for its user alone, and nothing else is', async () => {
    const place = join(directory, 'deep');
    const note = new FileNote(join(place, 'session'));
    expect(await note.read()).toBeUndefined();
    await note.change((text) => `${text} 1`);
    await note.change((text) => `${text} 2`);
    expect(await new FileNote(join(place, 'session')).read()).toBe('undefined 1 2');
    expect(await readdir(place)).toEqual(['session']);
    expect((await stat(join(place, 'session'))).mode & 0o777).toBe(0o600);
  });

  it('is never written through a symbolic link', async () => {
    const [other, path] = [join(directory, 'other'), join(directory, 'session')];
    await writeFile(other, 'precious');
    await symlink(other, path);
    await new FileNote(path).change(() => 'mine');
    expect(await readFile(other, 'utf8')).toBe('precious');
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('that cannot be read or written says so', async () => {
    await writeFile(join(directory, 'file'), '');
    const note = new FileNote(join(directory, 'file', 'session'));
    await expect(note.read()).rejects.toMatchObject({ code: 'SLUICE_STORAGE' });
    await expect(new FileNote(directory).change(() => 'text')).rejects.toThrow(directory);
  });
});

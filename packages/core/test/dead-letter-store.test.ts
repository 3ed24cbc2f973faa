import { describe, expect, it } from 'vitest';
import { type Batch, createBatch } from '../src/batch.ts';
import { DeadLetterStore, type DeadLetterStoreOptions } from '../src/dead-letter-store.ts';
import { toEventBytes } from './event-texts.ts';
import { FakeJournal } from './fake-journal.ts';
import { settle, VirtualClock } from './virtual-clock.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30);

function single(text: string): Batch {
  return createBatch(toEventBytes([text]), { segment: 1, from: 0, to: 1, epoch: 0 });
}

function createStore(options: Partial<DeadLetterStoreOptions>): DeadLetterStore {
  return new DeadLetterStore({
    createJournal: () => new FakeJournal(),
    mayHold: async () => true,
    clock: new VirtualClock(NOW),
    maxBytes: Number.POSITIVE_INFINITY,
    maxAgeMs: Number.POSITIVE_INFINITY,
    page: { maxEvents: 100, maxBytes: 10_000 },
    onDropped: () => {},
    onDamaged: () => {},
    onFailed: () => {},
    ...options,
  });
}

function createBench(options: Partial<DeadLetterStoreOptions> = {}): {
  letters: DeadLetterStore;
  journals: FakeJournal[];
  journal: () => FakeJournal;
} {
  const journals: FakeJournal[] = [];
  const createJournal = () => {
    const journal = new FakeJournal();
    journals.push(journal);
    return journal;
  };
  const journal = (): FakeJournal => {
    const last = journals.at(-1);
    if (last === undefined) throw new Error('there is no journal of dead letters yet');
    return last;
  };
  return { letters: createStore({ createJournal, ...options }), journals, journal };
}

describe('DeadLetterStore', () => {
  it('keeps the event, when it was refused, and what the service said', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('{"event":"a","payload":{"n":1.0}}'), { status: 422, excerpt: 'no "email"' });
    const [letter = ''] = journal().texts;
    expect(letter.replace(/"id":"[0-9a-f-]{36}"/, '"id":""')).toBe(
      '{"id":"","at":"2026-11-21T10:15:30.000Z","status":422,"excerpt":"no \\"email\\"","event":{"event":"a","payload":{"n":1.0}}}',
    );
  });

  it('keeps the bytes of the event as they are, whatever the service said', async () => {
    const { letters, journal } = createBench();
    const text = '{"event":"é€😀\\ud800","n":1e400}';
    for (const excerpt of ['', '"},{', '\ud800', '\0', '<html>é</html>']) {
      await letters.keep(single(text), { status: 400, excerpt });
    }
    expect(journal().texts).toHaveLength(5);
    for (const letter of journal().texts) {
      expect(letter.endsWith(`,"event":${text}}`)).toBe(true);
      expect(JSON.parse(letter)).toMatchObject({ status: 400, event: { event: 'é€😀\ud800' } });
    }
  });

  it('keeps the start alone of a long answer', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('{}'), { status: 400, excerpt: 'x'.repeat(100_000) });
    expect(JSON.parse(journal().texts[0] ?? '').excerpt).toBe('x'.repeat(1_024));
  });

  it('opens no journal before the first letter, and one for all', async () => {
    const { letters, journals } = createBench();
    expect(journals).toHaveLength(0);
    await Promise.all([1, 2, 3].map((n) => letters.keep(single(`${n}`), { status: 400, excerpt: '' })));
    expect(journals).toHaveLength(1);
    expect(journals[0]?.texts.map((text) => JSON.parse(text).event)).toEqual([1, 2, 3]);
    expect(journals[0]?.mostAppendsAtOnce).toBe(1);
  });

  it('has a letter only once it would survive a power cut', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('1'), { status: 400, excerpt: '' });
    expect(journal().calls).toEqual(['open', 'append', 'sync']);
  });

  it('rejects where the letter cannot be kept, and goes on with the next', async () => {
    const { letters, journal, journals } = createBench();
    await letters.keep(single('1'), { status: 400, excerpt: '' });
    journal().failAppends = true;
    const failed = letters.keep(single('2'), { status: 400, excerpt: '' });
    await expect(failed).rejects.toThrow('scripted');
    journal().failAppends = false;
    await letters.keep(single('3'), { status: 400, excerpt: '' });
    expect(journals).toHaveLength(1);
    expect(journal().texts.map((text) => JSON.parse(text).event)).toEqual([1, 3]);
  });

  it('rejects where its journal cannot be opened, and tries again with the next letter', async () => {
    const journals: FakeJournal[] = [];
    const createJournal = () => {
      const journal = new FakeJournal();
      journal.failOpen = journals.length === 0;
      journals.push(journal);
      return journal;
    };
    const letters = createStore({ createJournal });
    await expect(letters.keep(single('1'), { status: 400, excerpt: '' })).rejects.toThrow('scripted');
    await letters.keep(single('2'), { status: 400, excerpt: '' });
    expect(journals.at(-1)?.texts).toHaveLength(1);
  });

  it('closes its journal once all that was to be kept is kept', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('1'), { status: 400, excerpt: '' });
    const release = journal().hangAppends();
    const kept = letters.keep(single('2'), { status: 400, excerpt: '' });
    const closed = letters.close();
    await settle();
    expect(journal().calls).not.toContain('close');
    release();
    await Promise.all([kept, closed]);
    expect(journal().texts).toHaveLength(2);
    expect(journal().calls.at(-1)).toBe('close');
  });

  it('closes at once where it kept nothing', async () => {
    const { letters, journals } = createBench();
    await letters.close();
    expect(journals).toHaveLength(0);
  });
});

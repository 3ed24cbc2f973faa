import { StorageError } from '../../src/base/errors/storage-error.ts';
import type { EventBytes, Limit } from '../../src/base/event-bytes.ts';
import type { Range } from '../../src/base/range.ts';
import type { Journal, JournalObserver, Reading } from '../../src/keep/journal.ts';
import { MemoryJournal } from '../../src/keep/memory-journal.ts';
import { toEventBytes, toTexts } from './event-texts.ts';

type Call = 'open' | 'append' | 'appendSync' | 'read' | 'acknowledge' | 'sync' | 'close';

/** A journal in memory. It fails, hangs or finds damage as a test says, and records all calls. */
export class FakeJournal implements Journal {
  readonly kind = 'fake';
  readonly survives = true;
  sharing: Journal['sharing'];
  groupLimit: Limit;
  readonly calls: Call[] = [];
  /** The events of each append that succeeded. */
  readonly groups: string[][] = [];
  readonly acknowledged: Range[] = [];
  mostAppendsAtOnce = 0;
  /** Whether it copies events at once. Otherwise it reads them when it writes them. */
  copies = false;
  failOpen = false;
  failAppends = false;
  /** How many of the next appends fail. */
  failAppendsLeft = 0;
  failReads = false;
  failAcknowledgements = false;
  failSyncs = false;
  /** The tracker, once it has opened the journal. */
  observer: JournalObserver | undefined;
  readonly #memory = new MemoryJournal(Number.POSITIVE_INFINITY);
  readonly #damaged: Range[] = [];
  readonly #left: Range[] = [];
  /** When each event was accepted, by index. */
  readonly #times: number[] = [];
  #appends = 0;
  #gate: Promise<void> | undefined;
  #readGate: Promise<void> | undefined;
  #acknowledgementGate: Promise<void> | undefined;

  constructor(groupLimit: Limit = { maxEvents: 4096, maxBytes: 512 * 1024 }) {
    this.groupLimit = groupLimit;
  }

  get bytes(): number {
    return this.#memory.bytes;
  }

  /** All events in the order in which they were appended. */
  get texts(): string[] {
    return this.groups.flat();
  }

  /**
   * Adds events of an earlier process. The journal reports them when it opens, or now if it is open.
   *
   * @param times When each was accepted. Default: not known.
   */
  async leave(texts: readonly string[], times: readonly number[] = []): Promise<Range> {
    const range = await this.#memory.append(toEventBytes(texts));
    for (let index = range.from; index < range.to; index += 1)
      this.#times[index] = times[index - range.from] ?? Number.NaN;
    if (this.observer === undefined) this.#left.push(range);
    else this.observer.recovered(range, times[0]);
    return range;
  }

  /** From now on, appends do not end until the returned function is called. */
  hangAppends(): () => void {
    const { promise, open } = createGate();
    this.#gate = promise;
    return () => {
      if (this.#gate === promise) this.#gate = undefined;
      open();
    };
  }

  /** From now on, reads do not end until the returned function is called. */
  hangReads(): () => void {
    const { promise, open } = createGate();
    this.#readGate = promise;
    return () => {
      if (this.#readGate === promise) this.#readGate = undefined;
      open();
    };
  }

  /** From now on, acknowledgements do not end until the returned function is called. */
  hangAcknowledgements(): () => void {
    const { promise, open } = createGate();
    this.#acknowledgementGate = promise;
    return () => {
      if (this.#acknowledgementGate === promise) this.#acknowledgementGate = undefined;
      open();
    };
  }

  /** From now on these events cannot be read back. */
  damage(range: Range): void {
    this.#damaged.push(range);
  }

  async open(observer: JournalObserver): Promise<void> {
    this.calls.push('open');
    if (this.failOpen) throw failure('open');
    await this.#memory.open();
    this.observer = observer;
    for (const range of this.#left.splice(0)) observer.recovered(range, this.#times[range.from] || undefined);
  }

  async append(given: EventBytes): Promise<Range> {
    this.calls.push('append');
    const events = this.copies ? { ...given, bytes: new Uint8Array(given.bytes) } : given;
    this.#appends += 1;
    this.mostAppendsAtOnce = Math.max(this.mostAppendsAtOnce, this.#appends);
    try {
      await this.#gate;
      if (this.failAppends || this.failAppendsLeft-- > 0) throw failure('append');
      // Read only now: the bytes must stay valid until the append is done.
      this.groups.push(toTexts(events));
      const range = await this.#memory.append(events);
      for (let index = range.from; index < range.to; index += 1)
        this.#times[index] = events.times?.[index - range.from] ?? Number.NaN;
      return range;
    } finally {
      this.#appends -= 1;
    }
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    this.calls.push('read');
    await this.#readGate;
    if (this.failReads) throw failure('read');
    const { segment, from } = range;
    const damaged = this.#damaged.filter((other) => other.segment === segment && other.to > from);
    const first = damaged.sort((a, b) => a.from - b.from)[0];
    if (first === undefined || first.from >= range.to) return this.#read(range, limit);
    if (first.from > from) return this.#read({ ...range, to: first.from }, limit);
    return {
      events: { bytes: new Uint8Array(0), ends: new Uint32Array(0) },
      range: { ...range, to: Math.min(first.to, range.to) },
    };
  }

  async acknowledge(range: Range): Promise<void> {
    this.calls.push('acknowledge');
    await this.#acknowledgementGate;
    if (this.failAcknowledgements) throw failure('acknowledge');
    this.acknowledged.push(range);
    await this.#memory.acknowledge(range);
  }

  async sync(): Promise<void> {
    this.calls.push('sync');
    if (this.failSyncs) throw failure('sync');
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }

  async #read(asked: Range, limit: Limit): Promise<Reading> {
    const { events, range } = await this.#memory.read(asked, limit);
    const times = Float64Array.from(this.#times.slice(range.from, range.from + events.ends.length));
    return { events: { ...events, times }, range };
  }
}

/** A fake journal that can also append synchronously, to a segment of its own. */
export class FakeSyncJournal extends FakeJournal {
  readonly syncGroups: string[][] = [];
  #syncIndex = 0;

  appendSync(events: EventBytes): Range {
    this.calls.push('appendSync');
    if (this.failAppends) throw failure('appendSync');
    this.syncGroups.push(toTexts(events));
    const from = this.#syncIndex;
    this.#syncIndex += events.ends.length;
    return { segment: 2, from, to: this.#syncIndex };
  }
}

/** A promise, and the function that resolves it. */
export function createGate(): { promise: Promise<void>; open: () => void } {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

function failure(call: Call): StorageError {
  return new StorageError(`the scripted failure of ${call}`);
}

/** The returned function says whether others may send what is in the journal, in the place of its tracker. */
export function share(journal: { sharing: Journal['sharing'] }): (isLeft: boolean) => void {
  let maySend = true;
  let listener = (): void => {};
  journal.sharing = {
    get maySend() {
      return maySend;
    },
    listen(given) {
      listener = given;
    },
    request: () => () => {},
  };
  return (isLeft) => {
    maySend = !isLeft;
    listener();
  };
}

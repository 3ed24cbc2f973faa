import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../../testing/full.ts';
import { type EventBytes, NO_EVENTS, splitEvents } from '../../../src/base/event-bytes.ts';
import type { Range } from '../../../src/base/range.ts';
import { settle, VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import type { Journal, Reading } from '../../../src/keep/journal.ts';
import { MemoryNote, type Note } from '../../../src/keep/note.ts';
import { Admission } from '../../../src/parts/hold/admission.ts';
import { Sessions } from '../../../src/parts/hold/sessions.ts';
import { toEventBytes, toTexts } from '../../bench/event-texts.ts';
import { expectSame } from '../../bench/expect-same.ts';
import { FakeJournal, FakeSyncJournal } from '../../bench/fake-journal.ts';

/** Consent is granted: the bounds of what waits for it do not matter. */
const GRANTED = {
  hold: true,
  consent: 'granted' as const,
  buffer: { maxEvents: 0, maxBytes: 0 },
  purge: async () => {},
} satisfies Partial<ConstructorParameters<typeof Admission>[0]>;
const DAY = 24 * 60 * 60_000;
const MARK = ',"correlationValue":"';

interface StoredText {
  readonly life: number;
  readonly index: number;
  readonly text: string;
  /** The life that is responsible for it. */
  owner: number;
}

/** The storage that remains when a process ends. */
class Disk {
  readonly stored = new Map<string, StoredText>();
  readonly alive = new Set<number>();
  note: string | undefined;
  lives = 0;
}

/** Lets `left` operations pass. Dies with the next one, before or after it is done. */
class Power {
  left = Number.POSITIVE_INFINITY;
  isCutAfter = false;
  isDead = false;

  async run<Result>(work: () => Result): Promise<Result> {
    const isLast = this.left <= 0;
    this.left -= 1;
    const result = isLast && !this.isCutAfter ? undefined : !this.isDead && { value: work() };
    this.isDead ||= isLast;
    await undefined;
    if (this.isDead || !result) return new Promise(() => {});
    return result.value;
  }
}

/** A journal and a note on a disk. Whoever opens it takes over the events of dead processes. */
class DiskJournal implements Journal {
  readonly kind = 'disk';
  readonly survives = true;
  readonly groupLimit = { maxEvents: 3, maxBytes: 4_096 };
  readonly #disk: Disk;
  readonly #power: Power;
  readonly life: number;
  #next = 0;

  constructor(disk: Disk, power: Power) {
    disk.lives += 1;
    disk.alive.add(disk.lives);
    this.#disk = disk;
    this.#power = power;
    this.life = disk.lives;
  }

  get bytes(): number {
    return [...this.#disk.stored.values()].reduce((total, { text }) => total + text.length, 0);
  }

  async open(observer: Parameters<Journal['open']>[0]): Promise<void> {
    const found = await this.#power.run(() => {
      const { alive, stored } = this.#disk;
      return [...stored.values()].filter((one) => {
        const isLeft = !alive.has(one.owner);
        if (isLeft) one.owner = this.life;
        return isLeft;
      });
    });
    for (const { life, index } of found) observer.recovered({ segment: life, from: index, to: index + 1 });
  }

  append(events: EventBytes): Promise<Range> {
    const from = this.#next;
    const texts = toTexts(events);
    this.#next += texts.length;
    return this.#power.run(() => {
      for (const [offset, text] of texts.entries()) {
        const index = from + offset;
        this.#disk.stored.set(`${this.life} ${index}`, { life: this.life, index, text, owner: this.life });
      }
      return { segment: this.life, from, to: from + texts.length };
    });
  }

  read(range: Range): Promise<Reading> {
    return this.#power.run(() => {
      const texts: string[] = [];
      for (let index = range.from; index < Math.min(range.to, range.from + 2); index += 1) {
        const text = this.#disk.stored.get(`${range.segment} ${index}`)?.text;
        if (text === undefined) break;
        texts.push(text);
      }
      const events = texts.length === 0 ? NO_EVENTS : toEventBytes(texts);
      return { events, range: { ...range, to: range.from + Math.max(1, texts.length) } };
    });
  }

  acknowledge({ segment, from, to }: Range): Promise<void> {
    return this.#power.run(() => {
      for (let index = from; index < to; index += 1) this.#disk.stored.delete(`${segment} ${index}`);
    });
  }

  note(): Promise<string | undefined> {
    return this.#power.run(() => this.#disk.note);
  }

  change(next: (text: string | undefined) => string): Promise<void> {
    return this.#power.run(() => {
      this.#disk.note = next(this.#disk.note);
    });
  }

  async sync(): Promise<void> {}
  async close(): Promise<void> {}
}

/** The numbers of the events that were let through, and the customers that they were given. */
type Road = [number: number, customer: string][];

/** One process on a device. */
class Life {
  readonly id: number;
  readonly power = new Power();
  readonly held: Admission;
  readonly dropped: string[] = [];
  readonly failures: unknown[] = [];
  customer: string | undefined;
  accepted = 0;
  recovered = 0;
  gone = 0;

  constructor(disk: Disk, clock: VirtualClock, road: Road) {
    const { power } = this;
    const journal = new DiskJournal(disk, power);
    this.id = journal.life;
    const note: Note = {
      read: () => journal.note(),
      change: (next) => journal.change(next),
      digest: async (text) => text,
    };
    const pass = (text: string) => {
      const { payload, correlationValue } = JSON.parse(text);
      road.push([payload.number, correlationValue]);
    };
    // Until it knows that they are there, a process that loses its power still has them.
    let replayed = 0;
    this.held = new Admission({
      ...{ clock, commitIntervalMs: 10, maxBytes: 1_000_000, maxAgeMs: 30 * DAY },
      journal,
      sessions: new Sessions(note),
      ...GRANTED,
      texts: { correlationValue: undefined },
      enter: ({ text }) => {
        if (power.isDead) return;
        this.gone += 1;
        pass(text);
      },
      waiting: {
        async replay(events, count) {
          await power.run(() => {
            const all = splitEvents(events);
            for (const text of all) pass(new TextDecoder().decode(text));
            replayed = all.length;
          });
          count();
        },
      },
      wake: () => {
        this.gone += replayed;
        this.expectBalance();
      },
      reporter: {
        recovered: (_event, count) => {
          this.recovered += count;
          this.expectBalance();
        },
        settled: (reason, count) => {
          this.dropped.push(...Array.from({ length: count }, () => reason));
          this.expectBalance();
        },
        emit: () => {},
        storageFailed: (error) => this.failures.push(error),
      },
    });
  }

  track(number: number): void {
    this.accepted += 1;
    const payload = JSON.stringify({ number });
    const text = `{"event":"viewed","correlationKey":"email"${MARK}","source":"custom","payload":${payload}}`;
    this.held.take({ text, at: 0, isHigh: false, isUnidentified: true, customer: '' });
  }

  /** Events that it takes with it when it dies: those in memory, and those that storage had just released. */
  unfinished(disk: Disk): number {
    const { pending, unwritten } = this.held;
    const stored = [...disk.stored.values()].filter(({ owner }) => owner === this.id).length;
    return unwritten + Math.max(0, pending - unwritten - stored);
  }

  expectBalance(): void {
    expectSame(this.failures[0], undefined);
    expectSame(this.accepted + this.recovered, this.gone + this.dropped.length + this.held.pending);
  }
}

interface Step {
  readonly program: 0 | 1;
  readonly do: 'track' | 'identify' | 'reset' | 'wait' | 'leave' | 'reload' | 'cut';
  readonly who: string;
  /** The power is cut after this many operations. `isCutAfter`: whether the last one is still done. */
  readonly after: number;
  readonly isCutAfter: boolean;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    program: fc.constantFrom<0 | 1>(0, 0, 0, 1),
    do: fc.constantFrom(
      ...(['track', 'track', 'track', 'track', 'identify', 'identify', 'reset', 'reset'] as const),
      ...(['wait', 'wait', 'wait', 'leave', 'reload', 'reload', 'cut'] as const),
    ),
    who: fc.constantFrom('ada', 'bob'),
    after: fc.nat(8),
    isCutAfter: fc.boolean(),
  }),
  { minLength: 10, maxLength: 60 },
);

/** An event, or a change of the identity. `isSure`: whether the change was surely stored before the process died. */
type Happening =
  | { readonly number: number }
  | { readonly customer: string | undefined; isSure: boolean; readonly life: Life };

/** The customers that an event may belong to, after all that happened. */
function mayBe(happened: readonly Happening[], number: number): Set<string> {
  const at = happened.findIndex((one) => 'number' in one && one.number === number);
  const allowed = new Set<string>();
  for (const one of happened.slice(at + 1)) {
    if ('number' in one) continue;
    if (one.customer !== undefined) allowed.add(one.customer);
    if (one.isSure) break;
  }
  // The session has a customer already.
  const before = happened.slice(0, at).findLast((one) => 'customer' in one);
  if (before !== undefined && 'customer' in before && before.isSure && before.customer !== undefined) {
    for (const customer of allowed) if (customer !== before.customer) allowed.delete(customer);
  }
  return allowed;
}

describe('held events of two customers on one device', () => {
  it('are of the customer identified next in their session or of nobody, and none is lost uncounted, whatever happens', async () => {
    const numRuns = cases(500, 200);
    let delivered = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const [disk, clock, road] = [new Disk(), new VirtualClock(0), [] as Road];
        const [lives, happened] = [[] as Life[], [] as Happening[]];
        let lost = 0;
        let life = new Life(disk, clock, road);
        const programs = [life, new Life(disk, clock, road)];
        const turnOver = () => {
          lives.push(life);
          disk.alive.delete(life.id);
          lost += life.power.isDead ? life.unfinished(disk) : 0;
          const next = new Life(disk, clock, road);
          programs[programs.indexOf(life)] = next;
          life = next;
        };
        const change = (customer: string | undefined) => {
          const one = { customer, isSure: false, life };
          happened.push(one);
          life.customer = customer;
          life.held.identify(customer);
          void life.held.write().then(() => {
            one.isSure = !one.life.power.isDead;
          });
        };
        let number = 0;
        const track = () => {
          if (life.customer !== undefined) return;
          number += 1;
          happened.push({ number });
          life.track(number);
        };
        for (const step of all) {
          const program = programs[step.program];
          if (program !== undefined && program !== life) {
            // A user never uses two programs at once. So all changes get enough turns to finish.
            for (let time = 0; time < 20; time += 1) await settle();
            life = program;
          }
          if (life.power.isDead) turnOver();
          if (step.do === 'track') track();
          else if (step.do === 'leave') {
            // The session is known then, but not whose it is.
            track();
            for (let time = 0; time < 20; time += 1) await settle();
            track();
            change(step.who);
            for (let turn = 0; turn < step.after; turn += 1) await undefined;
            if (!life.power.isDead) life.held.leave();
          } else if (step.do === 'identify') change(step.who);
          else if (step.do === 'reset') change(undefined);
          else if (step.do === 'wait') await clock.advance(20);
          else if (step.do === 'reload') {
            const closed = life.held.close();
            await clock.advance(20);
            await Promise.race([closed, settle()]);
            turnOver();
          } else if (step.do === 'cut') {
            Object.assign(life.power, { left: step.after, isCutAfter: step.isCutAfter });
          }
          life.expectBalance();
        }
        for (const program of programs) program.power.left = Number.POSITIVE_INFINITY;
        await clock.advance(100);
        for (let time = 0; time < 20; time += 1) await settle();
        for (life of [...programs]) {
          life.expectBalance();
          turnOver();
        }
        for (const [event, customer] of road) expect([...mayBe(happened, event)]).toContain(customer);
        const unique = new Set(road.map(([event]) => event)).size;
        const dropped = lives.reduce((total, one) => total + one.dropped.length, 0);
        expect(unique + dropped + disk.stored.size + lost).toBeGreaterThanOrEqual(number);
        delivered += unique;
      }),
      { numRuns },
    );
    expect(delivered).toBeGreaterThan(numRuns / 2);
  });
});

interface Bench {
  readonly clock: VirtualClock;
  readonly journal: FakeJournal;
  readonly held: Admission;
  readonly hold: (...numbers: readonly number[]) => void;
  /** The events that were let through. */
  readonly entered: string[];
  readonly failures: unknown[];
  readonly dropped: [reason: string, count: number][];
}

const GROUP = { maxEvents: 2, maxBytes: 4_096 };

function createBench({
  maxBytes = 1_000_000,
  journal = new FakeJournal(GROUP),
  buffer = GRANTED.buffer,
  note = new MemoryNote(),
} = {}): Bench {
  const clock = new VirtualClock();
  const [entered, failures, dropped]: [string[], unknown[], [string, number][]] = [[], [], []];
  const held = new Admission({
    ...{ clock, commitIntervalMs: 10, maxBytes, maxAgeMs: DAY },
    journal,
    sessions: new Sessions(note),
    ...GRANTED,
    buffer,
    texts: { correlationValue: undefined },
    enter: ({ text }) => entered.push(text),
    waiting: {
      async replay(events, count) {
        entered.push(...toTexts(events));
        count();
      },
    },
    wake: () => {},
    reporter: {
      recovered: () => {},
      settled: (reason, count) => count > 0 && dropped.push([reason, count]),
      emit: () => {},
      storageFailed: (error) => failures.push(error),
    },
  });
  const hold = (...numbers: readonly number[]) => {
    for (const number of numbers) {
      const text = `{"event":"${number}"${MARK}"}`;
      held.take({ text, at: clock.now(), isHigh: false, isUnidentified: true, customer: '' });
    }
  };
  return { clock, journal, held, hold, entered, failures, dropped };
}

function stamped(...numbers: readonly number[]): string[] {
  return numbers.map((number) => `{"event":"${number}"${MARK}ada"}`);
}

describe('held events', () => {
  it('of an earlier life that are too old are dropped as soon as they are found', async () => {
    const { clock, journal, held, dropped, hold } = createBench();
    const times = [0, 0, clock.now(), clock.now()];
    const texts = times.map((_, number) => `{"session":"","event":"${number}"${MARK}"}`);
    const range = await journal.append({ ...toEventBytes(texts), times: Float64Array.from(times) });
    journal.open = async (observer) => observer.recovered(range);
    hold(5);
    await clock.advance(10);
    expect(dropped).toEqual([['expired', 2]]);
    expect(held.pending).toBe(3);
  });

  it('wait for those of an earlier life that cannot be read at first', async () => {
    const { clock, journal, held, entered, failures } = createBench();
    const range = await journal.append(toEventBytes([`{"session":"","event":"1"${MARK}"}`]));
    journal.open = async (observer) => observer.recovered(range);
    journal.failReads = true;
    held.identify('ada');
    expect(await held.write()).toBe(false);
    expect([held.pending, failures.length]).toEqual([1, 2]);
    journal.failReads = false;
    await clock.advance(30_000);
    expect(entered).toEqual(stamped(1));
  });

  it('are written together, in groups as large as the journal takes', async () => {
    const { clock, journal, held, hold } = createBench();
    hold(1, 2, 3);
    expect(held.unwritten).toBe(3);
    await clock.advance(10);
    expect(journal.groups.map(({ length }) => length)).toEqual([2, 1]);
    expect([held.pending, held.unwritten]).toEqual([3, 0]);
  });

  it('are written one group after the other, so that other tasks have their turn in between', async () => {
    const { clock, journal, held, hold } = createBench();
    hold(...Array.from({ length: 40 }, (_, number) => number));
    const goOn = journal.hangAppends();
    await clock.advance(10);
    await settle();
    expect(journal.mostAppendsAtOnce).toBe(1);
    goOn();
    for (let group = 0; group < 20; group += 1) await settle();
    expect(journal.mostAppendsAtOnce).toBe(1);
    expect(journal.groups.map(({ length }) => length)).toEqual(Array.from({ length: 20 }, () => 2));
    expect([held.pending, held.unwritten]).toEqual([40, 0]);
  });

  it('take room in memory only until they are stored, however many come meanwhile', async () => {
    const { journal, held, hold, dropped } = createBench({ maxBytes: 4_000 });
    const goOn = journal.hangAppends();
    hold(...Array.from({ length: 8 }, (_, number) => number));
    void held.write();
    await settle();
    hold(9);
    goOn();
    await settle();
    hold(10);
    const { bytes } = journal;
    for (let number = 100; dropped.length === 0; number += 1) hold(number);
    expect(held.unwritten * 44).toBeGreaterThan(4_000 - bytes - 200);
  });

  it('of a session that ended elsewhere are dropped, and nothing is written for them', async () => {
    const note = new MemoryNote();
    const { clock, journal, hold, dropped } = createBench({ note });
    hold(1);
    await clock.advance(10);
    await note.change(() => 'of somebody else');
    hold(2);
    await clock.advance(10);
    expect(dropped).toEqual([['unidentified', 1]]);
    expect(journal.groups).toHaveLength(1);
  });

  it('stay in memory while the journal fails, and are stored once it works', async () => {
    const { clock, journal, held, hold, entered, failures } = createBench();
    journal.failAppends = true;
    hold(1, 2, 3);
    expect(await held.write()).toBe(false);
    expect([held.pending, held.unwritten]).toEqual([3, 3]);
    expect(failures).toHaveLength(1);
    journal.failAppends = false;
    hold(4);
    await clock.advance(60_000);
    expect([held.pending, held.unwritten]).toEqual([4, 0]);
    held.identify('ada');
    await settle();
    expect(entered).toEqual(stamped(1, 2, 3, 4));
  });

  it('go on from memory where storage fails', async () => {
    const { journal, held, hold, entered } = createBench();
    journal.failAppends = true;
    hold(1, 2, 3);
    await held.write();
    held.identify('ada');
    await settle();
    expect(entered).toEqual(stamped(1, 2, 3));
    expect(held.pending).toBe(0);
  });

  it('go on once they can be read, where that fails at first', async () => {
    const { clock, journal, held, hold, entered, failures } = createBench();
    hold(1, 2, 3);
    await clock.advance(10);
    journal.failReads = true;
    held.identify('ada');
    expect(await held.write()).toBe(false);
    expect([entered, held.pending, failures.length]).toEqual([[], 3, 1]);
    journal.failReads = false;
    await clock.advance(30_000);
    expect(entered).toEqual(stamped(1, 2, 3));
    expect([held.pending, clock.timers]).toEqual([0, 0]);
  });

  it('that cannot be read back are dropped as damaged', async () => {
    const { clock, journal, held, hold, entered, dropped } = createBench();
    hold(1, 2, 3);
    await clock.advance(10);
    journal.damage({ segment: 1, from: 1, to: 2 });
    held.identify('ada');
    await settle();
    expect(entered).toEqual(stamped(1, 3));
    expect(dropped).toEqual([['damaged', 1]]);
    expect(held.pending).toBe(0);
  });

  it('are written at the last moment of a process, each once', async () => {
    const journal = new FakeSyncJournal(GROUP);
    const { held, hold } = createBench({ journal });
    hold(1, 2, 3);
    const goOn = journal.hangAppends();
    void held.write();
    await settle();
    hold(4);
    held.leave();
    expect(journal.syncGroups.flat()).toHaveLength(4);
    expect([held.pending, held.unwritten]).toEqual([4, 0]);
    journal.failAppends = true;
    goOn();
    await settle();
    expect([held.pending, held.unwritten]).toEqual([4, 0]);
  });

  it('are neither stored nor passed on where consent is taken back before they are stored', async () => {
    const { clock, journal, held, hold, entered, failures } = createBench({
      buffer: { maxEvents: 9, maxBytes: 999 },
    });
    hold(1);
    await undefined;
    held.setConsent('pending');
    hold(2);
    held.take({ text: stamped(3)[0] ?? '', at: 0, isHigh: false, isUnidentified: false, customer: '' });
    held.identify('ada');
    journal.failAppends = true;
    await clock.advance(60_000);
    expect([journal.groups, entered, held.unwritten, failures]).toEqual([[], [], 3, []]);
    held.setConsent('granted');
    await clock.advance(10);
    expect(entered.sort()).toEqual(stamped(1, 2, 3));
    expect(held.pending).toBe(0);
  });

  it('are dropped where they are found after consent was denied', async () => {
    const { clock, journal, held, hold, entered, dropped } = createBench();
    hold(1);
    await clock.advance(10);
    held.setConsent('denied');
    await settle();
    await journal.leave([`{"session":"","event":"2"${MARK}"}`]);
    await settle();
    expect(dropped).toEqual([
      ['denied', 1],
      ['denied', 1],
    ]);
    expect([entered, held.pending, journal.bytes]).toEqual([[], 0, 0]);
  });

  it('wait for consent in memory, also where it is taken back, and go on with the user of their time', async () => {
    const { clock, journal, held, hold, entered } = createBench({ buffer: { maxEvents: 9, maxBytes: 999 } });
    held.setConsent('pending');
    hold(1, 2);
    held.identify('ada');
    held.identify(undefined);
    hold(3);
    await clock.advance(60_000);
    held.leave();
    expect([journal.calls, held.unwritten, held.held]).toEqual([[], 3, 0]);
    held.setConsent('granted');
    await clock.advance(10);
    expect(entered).toEqual(stamped(1, 2));
    expect([held.unwritten, held.held]).toEqual([0, 1]);
  });

  it('are on their road before a process ends, where their user is known', () => {
    const { held, hold, entered } = createBench();
    hold(1, 2);
    held.identify('ada');
    held.leave();
    expect(entered).toEqual(stamped(1, 2));
    expect(held.pending).toBe(0);
  });
});

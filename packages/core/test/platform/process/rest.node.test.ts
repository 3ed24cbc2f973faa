import { beforeEach, describe, expect, it } from 'vitest';
import { settle, VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { Rest } from '../../../src/platform/process/rest.ts';

/** A few events that were just tracked. */
const few = { pending: 3, bytes: 900, urgent: 0, lines: { length: 1 } };

let clock: VirtualClock;
/** The note that one process leaves to the next. */
let note: string | undefined;
beforeEach(() => {
  clock = new VirtualClock();
  note = undefined;
});

/** One process. */
class Life {
  readonly pauses: { readonly until: number; readonly failures: number }[] = [];
  wakes = 0;
  /** As `Transport.isUnanswered`. */
  readonly transport: { isUnanswered: boolean | undefined } = { isUnanswered: undefined };
  readonly rest: Rest;

  private constructor(batch: { maxEvents?: number; maxWaitMs?: number }, timeoutMs: number) {
    const settings = {
      batch: { maxEvents: 500, maxBytes: 10_000, maxWaitMs: 1_000, ...batch },
      delivery: { timeoutMs },
      advanced: { headersTimeoutMs: 30_000 },
    };
    const sender = {
      pause: (until: number, failures: number) => void this.pauses.push({ until, failures }),
      wake: async () => {
        this.wakes += 1;
      },
    };
    const { transport } = this;
    this.rest = new Rest(
      { clock, settings, transport, sender: () => sender },
      {
        read: async () => note,
        writeSync: (text) => {
          note = text;
        },
      },
      () => () => {},
    );
  }

  static async start(batch = {}, timeoutMs = 60_000): Promise<Life> {
    const life = new Life(batch, timeoutMs);
    await settle();
    return life;
  }

  isResting(waiting: object = {}): boolean {
    return this.rest.isOn({ ...few, oldestAt: clock.now(), ...waiting });
  }
}

/** A process that makes a request, and ends before its answer. */
async function endUnanswered(timeoutMs?: number): Promise<void> {
  const life = await Life.start({}, timeoutMs);
  life.transport.isUnanswered = true;
  await life.rest.close();
}

describe('a process that just started', () => {
  it('sends nothing for a second: it may be a tool that ends before the answer', async () => {
    const life = await Life.start();
    expect(life.isResting()).toBe(true);
    await clock.advance(999);
    expect(life.isResting()).toBe(true);
    const { wakes } = life;
    await clock.advance(1);
    expect(life.wakes).toBe(wakes + 1);
    expect(life.isResting()).toBe(false);
  });

  it('rests no longer than a batch waits', async () => {
    const life = await Life.start({ maxWaitMs: 10 });
    await clock.advance(10);
    expect(life.isResting()).toBe(false);
    expect((await Life.start({ maxWaitMs: 0 })).isResting()).toBe(false);
  });

  it.each([
    ['a batch is full', { pending: 500 }],
    ['a batch has its bytes', { bytes: 10_000 }],
    ['somebody waits for the events', { urgent: 1 }],
    ['some have high priority', { lines: { length: 2 } }],
    ['no process has sent them for half a minute', { oldestAt: Date.UTC(2026, 0, 1) - 30_000 }],
  ])('sends at once if %s, and leaves no timer', async (_, waiting) => {
    const life = await Life.start();
    expect(life.isResting()).toBe(true);
    expect(life.isResting(waiting)).toBe(false);
    expect(clock.timers).toBe(0);
  });

  it('does not rest if the clock is set back', async () => {
    const life = await Life.start();
    clock.now = () => Date.UTC(2025, 0, 1);
    expect(life.isResting()).toBe(false);
  });
});

describe('a process after others that ended before they saw an answer', () => {
  it('pauses for as long as an answer may take, and twice as long each time', async () => {
    const pauses: number[] = [];
    for (let ends = 1; ends <= 3; ends += 1) {
      await endUnanswered();
      const next = await Life.start();
      pauses.push((next.pauses[0]?.until ?? 0) - clock.now());
      expect(next.pauses).toMatchObject([{ failures: ends }]);
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000]);
  });

  it('pauses up to an hour after them, but for no more than a minute of its life', async () => {
    for (let ends = 1; ends <= 12; ends += 1) await endUnanswered();
    const end = clock.now() + 3_600_000;
    for (const leftMs of [3_600_000, 90_000, 30_000]) {
      await clock.advance(end - leftMs - clock.now());
      const until = clock.now() + Math.min(leftMs, 60_000);
      expect((await Life.start()).pauses).toEqual([{ until, failures: 12 }]);
    }
    await clock.advance(30_000);
    expect((await Life.start()).pauses).toEqual([]);
  });

  it('pauses for no longer than a request may take', async () => {
    await endUnanswered(2_000);
    expect((await Life.start()).pauses).toEqual([{ until: clock.now() + 2_000, failures: 1 }]);
  });

  it('does not pause once one of them saw an answer, nor when the time is over', async () => {
    await endUnanswered();
    await clock.advance(10_000);
    const answered = await Life.start();
    expect(answered.pauses).toEqual([]);
    answered.transport.isUnanswered = false;
    await answered.rest.close();
    await endUnanswered();
    expect((await Life.start()).pauses).toMatchObject([{ failures: 1 }]);
  });

  it('does not pause for as long as the clock was set back since', async () => {
    await endUnanswered();
    const [times = '', until] = note?.split(' ') ?? [];
    note = `${times} ${Number(until) + 30 * 60_000}`;
    const next = await Life.start();
    expect(next.pauses).toEqual([]);
    // It counts as the first one.
    await endUnanswered();
    expect((await Life.start()).pauses).toMatchObject([{ failures: 1 }]);
  });

  it('leaves the note as it is if it sends nothing', async () => {
    await endUnanswered();
    const before = note;
    await (await Life.start()).rest.close();
    expect(note).toBe(before);
  });

  it.each([
    ['nonsense', 'a b'],
    ['nothing', ''],
    ['a time far away, as after the clock was set back', `1 ${Date.UTC(2030, 0, 1)}`],
    ['noise', '\\u0000 NaN Infinity'],
    ['too many of them', `9999 ${Date.UTC(2030, 0, 1)}`],
  ])('does not pause if the note is %s', async (_, text) => {
    note = text;
    const life = await Life.start();
    expect(life.pauses).toEqual([]);
    life.transport.isUnanswered = true;
    await life.rest.close();
    expect((await Life.start()).pauses).toMatchObject([{ failures: 1 }]);
  });
});

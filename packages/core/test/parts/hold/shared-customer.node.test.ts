import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cases } from '../../../../../testing/full.ts';
import { EventTexts } from '../../../src/accept/event-text.ts';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { createIndexedDbJournal } from '../../../src/keep/page/indexeddb-journal.ts';
import { IndexedDbNote } from '../../../src/keep/page/indexeddb-note.ts';
import { type Admission, createAdmission } from '../../../src/parts/hold/admission.ts';
import { Sessions } from '../../../src/parts/hold/sessions.ts';
import { toTexts } from '../../bench/event-texts.ts';
import { FakeLocks } from '../../bench/fake-locks.ts';
import { FakeChannel } from '../../bench/fake-origin.ts';

const [ada, bob] = ['ada@example.com', 'bob@example.com'];

/** The tabs of one origin, and where their events went. */
class Origin {
  readonly name = `origin ${Math.random().toString(36).slice(2)}`;
  readonly clock = new VirtualClock();
  readonly locks = new FakeLocks();
  readonly channels = new Set<FakeChannel>();
  readonly losesMessage = () => false;
  readonly tabs: Tab[] = [];
  /** The customers of the events that went on, by their number. */
  readonly customers = new Map<number, string>();

  openTab(consent: 'pending' | 'granted' = 'granted'): Tab {
    const tab = new Tab(this, consent);
    this.tabs.push(tab);
    return tab;
  }

  take(text: string): void {
    const { payload, correlationValue } = JSON.parse(text);
    expect(this.customers.has(payload.number)).toBe(false);
    this.customers.set(payload.number, correlationValue);
  }

  /** Resolves once every tab has done what there is to do, and has heard of what the others did. */
  async settle(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      for (const { held, isAway } of this.tabs) if (!isAway) await held.write();
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** What a tab has of a tracker: the text of events, and the stage that holds them. */
class Tab {
  readonly held: Admission;
  readonly dropped: string[] = [];
  isAway = false;
  readonly #origin: Origin;
  readonly #texts = new EventTexts('email', 'web', 100_000, '');
  readonly #channels: FakeChannel[] = [];

  constructor(origin: Origin, consent: 'pending' | 'granted') {
    this.#origin = origin;
    const { clock, name } = origin;
    const meeting = {
      locks: new FakeLocks(origin.locks),
      createChannel: (name: string) => {
        const channel = new FakeChannel(origin, name);
        this.#channels.push(channel);
        return channel as unknown as BroadcastChannel;
      },
    };
    this.held = createAdmission({
      ...{ clock, commitIntervalMs: 10, maxBytes: 1_000_000, maxAgeMs: Number.POSITIVE_INFINITY },
      ...{ hold: true, consent, buffer: { maxEvents: 100, maxBytes: 100_000 }, texts: this.#texts },
      journal: createIndexedDbJournal(`${name} unidentified`, meeting, clock),
      sessions: new Sessions(new IndexedDbNote(`${name} session`, meeting, clock)),
      enter: ({ text }) => origin.take(text),
      waiting: {
        async replay(events, count) {
          for (const text of toTexts(events)) origin.take(text);
          count();
        },
      },
      wake: () => {},
      purge: async () => {},
      reporter: {
        recovered: () => {},
        settled: (reason, count) => {
          if (reason !== 'delivered') for (let left = count; left > 0; left -= 1) this.dropped.push(reason);
        },
        emit: () => {},
        storageFailed: (error) => {
          throw error;
        },
      },
    });
  }

  track(...numbers: readonly number[]): void {
    for (const number of numbers) {
      const text = this.#texts.create('viewed', { number }, {}, 0);
      const { isUnidentified, customer } = this.#texts;
      if (this.held.isOpen(isUnidentified)) this.#origin.take(text);
      else this.held.take({ text, at: 0, isHigh: false, isUnidentified, customer });
    }
  }

  /** The customer of what it tracks now. */
  get customer(): string | undefined {
    return this.#texts.correlationValue;
  }

  /** Calls back right after the next message about the session that it hears. */
  afterMessage(work: () => void): void {
    for (const channel of this.#channels.filter(({ name }) => name.endsWith('session'))) {
      const { onmessage } = channel;
      channel.onmessage = (event) => {
        channel.onmessage = onmessage;
        onmessage?.(event);
        work();
      };
    }
  }

  /** The page goes to the back/forward cache: it hears nothing. */
  goAway(): void {
    this.held.leave();
    this.isAway = true;
    for (const channel of this.#channels) this.#origin.channels.delete(channel);
  }

  comeBack(): void {
    this.isAway = false;
    for (const channel of this.#channels) this.#origin.channels.add(channel);
    this.held.recheck();
  }

  async close(): Promise<void> {
    await this.held.close();
    this.#origin.tabs.splice(this.#origin.tabs.indexOf(this), 1);
  }
}

let origin: Origin;

beforeEach(() => {
  origin = new Origin();
});

afterEach(async () => {
  for (const tab of [...origin.tabs]) await tab.close();
});

interface Step {
  readonly tab: number;
  readonly do: 'track' | 'identify' | 'reset' | 'go' | 'come' | 'close' | 'open';
  readonly who: string;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    tab: fc.nat(2),
    do: fc.constantFrom(
      ...(['track', 'track', 'track', 'track', 'identify', 'identify', 'reset'] as const),
      ...(['go', 'come', 'come', 'close', 'open'] as const),
    ),
    who: fc.constantFrom(ada, bob),
  }),
  { minLength: 5, maxLength: 25 },
);

/** What happened from one moment to the next at which all tabs were at rest. */
interface Window {
  /** The customer at its start. */
  readonly before: string | undefined;
  readonly tracked: number[];
  readonly identified: Set<string>;
  isReset: boolean;
}

const races = fc.array(
  fc.record({
    tab: fc.nat(2),
    do: fc.constantFrom('track', 'track', 'track', 'identify', 'identify', 'reset', 'turn', 'turn', 'settle'),
    who: fc.constantFrom(ada, bob),
  }),
  { minLength: 5, maxLength: 40 },
);

/** What must become of events. */
class Model {
  customer: string | undefined;
  /** The tabs that know the customer. */
  readonly knowing = new Set<Tab>();
  held: number[] = [];
  readonly expected = new Map<number, string>();

  /** @param there The tabs that can hear. */
  identify(customer: string, tab: Tab, there: readonly Tab[]): void {
    if (this.customer !== undefined && this.customer !== customer) this.reset();
    this.customer = customer;
    // Who says it again tells nobody.
    this.#send(this.knowing.has(tab) ? [] : there, customer);
  }

  reset(): void {
    this.customer = undefined;
    this.knowing.clear();
    this.held = [];
  }

  track(number: number, tab: Tab, there: readonly Tab[]): void {
    this.held.push(number);
    if (this.customer === undefined || !there.some((one) => this.knowing.has(one))) return;
    // One that does not know asks. All hear the answer.
    this.#send(this.knowing.has(tab) ? [] : there, this.customer);
  }

  #send(there: readonly Tab[], customer: string): void {
    for (const tab of there) this.knowing.add(tab);
    for (const number of this.held.splice(0)) this.expected.set(number, customer);
  }
}

describe('tabs that share their customer', () => {
  it('give each event to the customer of the session in which it was tracked, or to nobody, whatever they do', async () => {
    let count = 0;
    const numRuns = cases(100, 40);
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        origin = new Origin();
        const model = new Model();
        for (let tab = 0; tab < 3; tab += 1) origin.openTab();
        let number = 0;
        for (const step of all) {
          const tab = origin.tabs[step.tab % origin.tabs.length] ?? origin.openTab();
          if (tab.isAway !== (step.do === 'come')) continue;
          const isTracking = step.do === 'track' || step.do === 'come';
          number += isTracking ? 1 : 0;
          if (step.do === 'open' && origin.tabs.length < 4) origin.openTab();
          else if (step.do === 'identify') tab.held.identify(step.who);
          else if (step.do === 'reset') tab.held.identify(undefined);
          else if (step.do === 'go') tab.goAway();
          else if (step.do === 'come') tab.comeBack();
          else if (step.do === 'close') await tab.close();
          // Also at once where it is back: it cannot know yet what has happened.
          if (isTracking) tab.track(number);
          await origin.settle();
          const there = origin.tabs.filter(({ isAway }) => !isAway);
          if (isTracking) model.track(number, tab, there);
          else if (step.do === 'identify') model.identify(step.who, tab, there);
          else if (step.do === 'reset') model.reset();
          else if (step.do === 'close') model.knowing.delete(tab);
          expect([...origin.customers].sort()).toEqual([...model.expected].sort());
        }
        count += model.expected.size;
        for (const tab of [...origin.tabs]) await tab.close();
      }),
      { numRuns },
    );
    expect(count).toBeGreaterThan(numRuns);
  });

  it('never give one to a customer who was not identified in its session, also where they act at the same time', async () => {
    let count = 0;
    const numRuns = cases(200, 80);
    await fc.assert(
      fc.asyncProperty(races, async (all) => {
        origin = new Origin();
        for (let tab = 0; tab < 3; tab += 1) origin.openTab();
        const windows: Window[] = [{ before: undefined, tracked: [], identified: new Set(), isReset: false }];
        let number = 0;
        for (const step of all) {
          const [tab, window] = [origin.tabs[step.tab], windows.at(-1)];
          if (tab === undefined || window === undefined) continue;
          if (step.do === 'track') {
            number += 1;
            tab.track(number);
            window.tracked.push(number);
          } else if (step.do === 'identify') {
            tab.held.identify(step.who);
            window.identified.add(step.who);
          } else if (step.do === 'reset') {
            tab.held.identify(undefined);
            window.isReset = true;
          } else if (step.do === 'turn') await new Promise((resolve) => setImmediate(resolve));
          else {
            await origin.settle();
            const [before, ...others] = new Set(origin.tabs.map(({ customer }) => customer));
            expect(others).toEqual([]);
            windows.push({ before, tracked: [], identified: new Set(), isReset: false });
          }
        }
        await origin.settle();
        for (const [at, window] of windows.entries()) {
          const allowed = new Set([window.before, ...window.identified]);
          // Who is identified next, if nobody was.
          const next = windows
            .slice(at + 1)
            .find(({ identified, isReset }) => isReset || identified.size > 0);
          if (windows[at + 1]?.before === undefined)
            for (const customer of next?.identified ?? []) allowed.add(customer);
          for (const one of window.tracked)
            if (origin.customers.has(one)) expect([...allowed]).toContain(origin.customers.get(one));
        }
        // What is the customer's does not wait.
        for (const { customer, held } of origin.tabs)
          if (customer !== undefined) expect(held.pending).toBe(0);
        count += origin.customers.size;
        for (const tab of [...origin.tabs]) await tab.close();
      }),
      { numRuns },
    );
    expect(count).toBeGreaterThan(numRuns);
  });

  it('hold what one tracks after another has said reset(), until somebody is identified', async () => {
    const [first, second] = [origin.openTab(), origin.openTab()];
    first.held.identify(ada);
    await origin.settle();
    second.track(1);
    second.afterMessage(() => second.track(2));
    first.held.identify(undefined);
    await origin.settle();
    expect([...origin.customers]).toEqual([[1, ada]]);
    first.held.identify(bob);
    await origin.settle();
    second.track(3);
    expect([...origin.customers]).toEqual([
      [1, ada],
      [2, bob],
      [3, bob],
    ]);
  });

  it('keep what was tracked before reset() in another from the next customer, also if it was never stored', async () => {
    const [first, second] = [origin.openTab(), origin.openTab()];
    // It does not know its session yet.
    second.track(1);
    first.held.identify(undefined);
    first.held.identify(bob);
    await origin.settle();
    expect(second.dropped).toEqual(['unidentified']);
    expect(origin.customers.size).toBe(0);
  });

  it('end with the customer whom all of them identify after reset(), at the same time', async () => {
    const tabs = [origin.openTab(), origin.openTab(), origin.openTab()];
    tabs[0]?.held.identify(ada);
    await origin.settle();
    for (const { held } of tabs) {
      held.identify(undefined);
      held.identify(bob);
    }
    await origin.settle();
    expect(tabs.map(({ customer }) => customer)).toEqual([bob, bob, bob]);
  });

  it('keep the order of what is tracked before and after the customer is known again', async () => {
    const tab = origin.openTab();
    tab.held.identify(ada);
    await origin.settle();
    tab.held.recheck();
    for (let number = 1; tab.customer === undefined; number += 1) {
      tab.track(number);
      await new Promise((resolve) => setImmediate(resolve));
    }
    tab.track(1_000);
    const numbers = [...origin.customers.keys()];
    expect(numbers.length).toBeGreaterThan(1);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(tab.held.pending).toBe(0);
  });

  it('do not undo a reset() in another once consent is granted', async () => {
    const [first, second] = [origin.openTab(), origin.openTab('pending')];
    for (const { held } of [first, second]) held.identify(ada);
    await origin.settle();
    second.track(1);
    first.held.identify(undefined);
    await origin.settle();
    second.track(2);
    second.held.setConsent('granted');
    await origin.settle();
    second.track(3);
    await origin.settle();
    // The first one was tracked as hers.
    expect([first.customer, second.customer]).toEqual([undefined, undefined]);
    expect([...origin.customers]).toEqual([[1, ada]]);
    expect([second.held.held, second.dropped]).toEqual([2, []]);
  });

  it('have the customer of a tab that says so while it has no consent only once it has it', async () => {
    const [first, second] = [origin.openTab(), origin.openTab()];
    second.held.setConsent('denied');
    second.held.identify(ada);
    await origin.settle();
    expect(first.customer).toBeUndefined();
    second.held.setConsent('granted');
    await origin.settle();
    expect(first.customer).toBe(ada);
  });

  it('store what one tracks that is left before it can know its customer, for the next page', async () => {
    const first = origin.openTab();
    first.held.identify(ada);
    await origin.settle();
    first.goAway();
    first.comeBack();
    first.track(1);
    expect(origin.customers.size).toBe(0);
    first.goAway();
    await first.close();
    const second = origin.openTab();
    second.held.identify(ada);
    await origin.settle();
    expect([...origin.customers]).toEqual([[1, ada]]);
  });

  it('store nothing of the customer where pages are not encrypted, and no later page takes the session for its own', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    try {
      const [first, second] = [origin.openTab(), origin.openTab()];
      second.track(1);
      await origin.settle();
      for (const { held } of [first, first, second]) {
        held.identify(ada);
        await origin.settle();
      }
      expect([...origin.customers]).toEqual([[1, ada]]);
      const note = await readNote();
      expect(note).toMatch(/^ [0-9a-f-]{36}$/);
      for (const tab of [first, second]) await tab.close();
      const third = origin.openTab();
      third.track(2);
      await origin.settle();
      third.held.identify(ada);
      third.track(3);
      await origin.settle();
      expect(third.dropped).toEqual(['unidentified']);
      expect([...origin.customers]).toEqual([
        [1, ada],
        [3, ada],
      ]);
      expect(await readNote()).not.toBe(note);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('write another digest of one customer in each origin, each with 256 bits', async () => {
    const notes = new Set<string | undefined>();
    for (let time = 0; time < 2; time += 1) {
      origin = new Origin();
      const tab = origin.openTab();
      tab.held.identify(ada);
      await origin.settle();
      await tab.close();
      notes.add(await readNote());
    }
    expect(notes.size).toBe(2);
    for (const note of notes) expect(note).toMatch(/^ (\d{1,3},){31}\d{1,3}$/);
  });
});

/** The note of the present origin. */
async function readNote(): Promise<string | undefined> {
  const note = new IndexedDbNote(`${origin.name} session`, {}, origin.clock);
  const text = await note.read();
  note.close();
  return text;
}

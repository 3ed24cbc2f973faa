import { platform } from '#platform';
import type { Range } from '../../src/base/range.ts';
import { createDispatch, type Dispatch } from '../../src/dispatch.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { type Sharing, together } from '../../src/keep/journal.ts';
import { readOptions } from '../../src/options/settings.ts';
import { HalvingLimit } from '../../src/pace/halving-limit.ts';
import { LetterKeeper } from '../../src/parts/dead-letters/letter-keeper.ts';
import type { Outcome } from '../../src/send/http/transport.ts';
import { SERVICE } from '../../src/send/requests.ts';
import { Books } from '../../src/tell/books.ts';
import { createReporter } from '../../src/tell/reporter.ts';
import { Waiting } from '../../src/wait/waiting.ts';
import { FakeJournal } from './fake-journal.ts';
import { answered, ScriptedTransport } from './scripted-transport.ts';
import { textWriter } from './text-writer.ts';

/** A transport whose requests may outlive the page, up to a limit. */
class OutlivingTransport extends ScriptedTransport {
  left = 60_000;

  room(): number {
    return this.left;
  }
}

/** A journal shared with other tabs. */
const shared: Omit<Sharing, 'hold' | 'lease'> = {
  refresh: async () => {},
  listen: () => {},
  tell: () => {},
  pause: undefined,
  setPause: async () => {},
};

/** All parts from the memory to the service, for a page that a test can hide. */
export class Page {
  readonly clock = new VirtualClock();
  readonly journal = new FakeJournal({ maxEvents: 100, maxBytes: 48 * 1024 });
  readonly transport = new OutlivingTransport(this.clock);
  readonly leases: {
    readonly ranges: readonly Range[];
    readonly forMs: number;
    readonly isAppending?: boolean | undefined;
  }[] = [];
  readonly books = new Books();
  readonly waiting: Waiting;
  readonly dispatch: Dispatch;
  /** How many appends the journal had received before each request. */
  readonly appendsBefore: number[] = [];

  /** @param sender Who sends all the time, if pages share the journal. */
  constructor(
    ordering: 'unordered' | 'strict' = 'unordered',
    random: () => number = () => 1,
    sender?: 'this page' | 'another page',
  ) {
    if (sender)
      this.journal.sharing = {
        ...shared,
        hold: (work) => (sender === 'this page' ? work() : new Promise(() => {})),
        lease: (ranges, forMs, isAppending) => void this.leases.push({ ranges, forMs, isAppending }),
      };
    const { clock, journal, transport, books } = this;
    const settings = readOptions(
      { baseUrl: 'https://example.com', correlationKey: 'email', ordering },
      platform,
    );
    const limits = { bytes: new HalvingLimit() };
    const wake = () => void this.dispatch.wake();
    const reporter = createReporter({ books, clock });
    const isStrict = ordering === 'strict';
    const { batch, buffer } = settings;
    const waiting = new Waiting({
      lanes: undefined,
      ...{ journal, text: textWriter, clock, random, buffer, batch, limits, isStrict, reporter },
      ...{ commitIntervalMs: 250, createBounds: () => undefined, isShut: () => false },
      ...{ onDue: wake, onFailed: () => {}, onRecovered: () => {} },
    });
    this.waiting = waiting;
    this.dispatch = createDispatch({
      books,
      clock,
      hooked: { destination: SERVICE },
      random,
      reporter,
      settings,
      sharing: journal.sharing,
      limits,
      texts: { offset: undefined },
      transport,
      waiting,
      letters: new LetterKeeper({
        ...{ journal: new FakeJournal(), clock, reporter },
        ...{ maxBytes: Number.POSITIVE_INFINITY, maxAgeMs: Number.POSITIVE_INFINITY },
      }),
    });
    this.respond(() => answered(200));
  }

  respond(answer: () => Outcome | Promise<Outcome>): void {
    this.transport.respond = () => {
      this.appendsBefore.push(this.journal.calls.filter((call) => call === 'append').length);
      return answer();
    };
  }

  /** Adds events of about `bytes` bytes each, in the state after `track()`. */
  track(count: number, bytes = 300): void {
    for (let number = 0; number < count; number += 1) {
      this.waiting.push(JSON.stringify({ text: 'x'.repeat(bytes) }), this.clock.now(), false, '');
      this.waiting.commit.notify(false);
    }
  }

  /** Hides the page. Returns the requests that were made before the call returned. */
  hide(
    isLeft = false,
    isKept = false,
  ): readonly { outlives?: boolean | undefined; count: number; bytes: number }[] {
    const before = this.transport.requests.length;
    const send = together(this.journal, () => {
      const send = this.dispatch.leave(isLeft, isKept);
      this.waiting.commit.writeNow();
      return send;
    });
    send();
    return this.transport.requests
      .slice(before)
      .map(({ outlives, events, body }) => ({ outlives, count: events.length, bytes: body.length }));
  }

  get counts(): { pending: number; volatile: number; inFlight: number; delivered: number } {
    const { pending, volatile, inFlight } = this.waiting;
    return { pending, volatile, inFlight, delivered: this.books.delivered };
  }
}

import { platform } from '#platform';
import { Dispatch } from '../../src/dispatch.ts';
import type { Sharing } from '../../src/keep/journal.ts';
import { readOptions } from '../../src/options/settings.ts';
import { SizeLimit } from '../../src/pace/size-limit.ts';
import { Budget } from '../../src/parts/budget.ts';
import { DeadLetterStore } from '../../src/parts/dead-letters/dead-letter-store.ts';
import type { Outcome, Outliving } from '../../src/send/http/transport.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';
import { Lanes } from '../../src/wait/lanes.ts';
import { FakeJournal } from './fake-journal.ts';
import { answered, ScriptedTransport } from './scripted-transport.ts';
import { textWriter } from './text-writer.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A transport whose requests may outlive the page, up to a limit. */
class OutlivingTransport extends ScriptedTransport {
  readonly left: Record<Outliving, number> = { keepalive: 60_000, later: 60_000 };

  room(way: Outliving): number {
    return this.left[way];
  }
}

/** A journal shared with other tabs, one of which sends all the time. */
const elsewhere: Sharing = {
  hold: () => new Promise(() => {}),
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
  readonly books = new Books();
  readonly lanes: Lanes;
  readonly dispatch: Dispatch;
  /** How many appends the journal had received before each request. */
  readonly appendsBefore: number[] = [];

  constructor(
    ordering: 'unordered' | 'strict' = 'unordered',
    random: () => number = () => 1,
    isShared = false,
  ) {
    if (isShared) this.journal.sharing = elsewhere;
    const { clock, journal, transport, books } = this;
    const settings = readOptions(
      { baseUrl: 'https://example.com', correlationKey: 'email', ordering },
      platform,
    );
    const sizeLimit = new SizeLimit(() => {});
    const wake = () => void this.dispatch.wake();
    const reporter = new Reporter({ books, clock });
    this.lanes = new Lanes({
      ...{ buffer: settings.buffer, text: textWriter, journal, clock, random, sizeLimit },
      budget: new Budget({
        ...{ ...settings.storage, journal, clock, reporter },
        ...{ evict: (segment) => this.lanes.evict(segment), rescue: (segment) => this.lanes.rescue(segment) },
      }),
      ...{ intervalMs: 250, maxWaitMs: 1_000, maxAgeMs: undefined, limit: settings.batch },
      ...{ isStrict: ordering === 'strict', onWritten: wake, onDue: wake, onRecovered: async () => {} },
      ...{ reporter, onFailed: () => {} },
      createAbortController: platform.createAbortController,
    });
    this.dispatch = new Dispatch({
      ...{ settings, clock, random, transport, journal, lanes: this.lanes, books, sizeLimit },
      letters: new DeadLetterStore({
        ...{ clock, maxBytes: Number.POSITIVE_INFINITY, maxAgeMs: Number.POSITIVE_INFINITY },
        ...{ createJournal: () => new FakeJournal(), mayHold: async () => true, page: journal.groupLimit },
        reporter,
      }),
      reporter,
      isOpened: () => true,
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
    const { backlog, committer } = this.lanes.normal;
    for (let number = 0; number < count; number += 1) {
      backlog.push(JSON.stringify({ text: 'x'.repeat(bytes) }), this.clock.now());
      committer.notify();
    }
  }

  /** Hides the page. Returns the requests that were made before the call returned. */
  hide(isLeft = false): readonly { outlives?: Outliving | undefined; count: number; bytes: number }[] {
    const before = this.transport.requests.length;
    this.dispatch.leave(isLeft, () => void this.lanes.writeAll());
    return this.transport.requests
      .slice(before)
      .map(({ outlives, events, body }) => ({ outlives, count: events.length, bytes: body.length }));
  }

  get counts(): { pending: number; volatile: number; inFlight: number; delivered: number } {
    const { pending, volatile, inFlight } = this.lanes.waiting;
    return { pending, volatile, inFlight, delivered: this.books.delivered };
  }
}

import { platform } from '#platform';
import { createDispatch } from '../../src/dispatch.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { readOptions } from '../../src/options/settings.ts';
import { learn } from '../../src/parts/learn/learn.ts';
import type { Outcome } from '../../src/send/http/transport.ts';
import { SERVICE } from '../../src/send/requests.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';
import { Waiting } from '../../src/wait/waiting.ts';
import { FakeJournal } from './fake-journal.ts';
import { answered, ScriptedTransport } from './scripted-transport.ts';
import { textWriter } from './text-writer.ts';

/** All parts from the memory to the service, for a device that a test can take the network from. */
export class Device {
  readonly clock = new VirtualClock();
  readonly journal = new FakeJournal({ maxEvents: 100, maxBytes: 48 * 1024 });
  readonly transport = new ScriptedTransport(this.clock);
  readonly books = new Books();
  readonly waiting: Waiting;
  readonly dispatch: ReturnType<typeof createDispatch>;

  constructor(random: () => number = () => 1) {
    const { clock, journal, transport, books } = this;
    const options = { baseUrl: 'https://example.com', correlationKey: 'email' };
    const settings = readOptions(options, { ...platform, clock, random });
    const reporter = new Reporter(books, clock);
    const limits = learn(reporter, settings.batch);
    const wake = () => void this.dispatch.wake();
    const waiting = new Waiting({
      ...{ settings, journal, text: textWriter, clock, random, limits, reporter },
      ...{ opened: async () => {}, isShut: () => false },
      ...{ onDue: wake, onFailed: () => {}, onRecovered: () => {} },
    });
    this.waiting = waiting;
    this.dispatch = createDispatch({
      books,
      hooked: { destination: SERVICE, headers: undefined, rejected: undefined },
      reporter,
      settings,
      sharing: undefined,
      limits,
      texts: { offset: undefined },
      transport,
      waiting,
      letters: { keep: async () => {} },
    });
    this.respond(() => answered(200));
  }

  respond(answer: () => Outcome | Promise<Outcome>): void {
    this.transport.respond = answer;
  }

  /** Adds events of about 300 bytes each, in the state after `track()`. */
  track(count: number): void {
    for (let number = 0; number < count; number += 1) {
      this.waiting.push(JSON.stringify({ text: 'x'.repeat(300) }), this.clock.now(), false, '');
      this.waiting.commit.notify(false);
    }
  }

  get counts(): { pending: number; delivered: number } {
    return { pending: this.waiting.pending, delivered: this.books.delivered };
  }
}

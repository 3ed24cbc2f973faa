import type { TrackerStats } from '@sluice/core';

/** What an event survives according to its tracker: nothing, the end of its process, or a power cut. */
type Safety = 'unsafe' | 'written' | 'synced';

export interface TrackedEvent {
  readonly uuid: string;
  /** Its JSON, which must arrive unchanged. */
  readonly text: string;
  /** Whether the service refuses it. */
  readonly isBad: boolean;
  /** The application that tracked it, and its number there. */
  readonly client: number;
  readonly place: number;
  /** It arrives in order with the events of the same application and sequence; undefined if it need not. */
  readonly sequence: string | undefined;
  safety: Safety;
  arrivals: number;
  /** Whether the service refused it in a request of its own, or a policy dropped it. */
  isRefused: boolean;
  /** How many requests with it alone failed. */
  failures: number;
  /** Whether it was in a request whose outcome the client could not know. */
  mayComeAgain: boolean;
}

/** Conditions of a schedule that excuse some of its results. */
export interface Excuses {
  /** Whether a process ended without closing its tracker. */
  readonly crashes: boolean;
  /** Whether the disk failed. */
  readonly faults: boolean;
  /** Whether the space for journals was so small that trackers may drop events. */
  readonly scarcity: boolean;
}

export interface Verdict {
  readonly durable: number;
  readonly lost: number;
  readonly duplicates: number;
}

/** The sequence of all events of an application with strict order. */
export const STRICT = '';

/** A dead letter takes refusals of its event alone that weigh so much: five, or two if one of them calls it too large. */
const LETTER_WEIGHT = 5;
const TOO_LARGE_WEIGHT = 4;
/** After so many failures of its own an event may be set aside. Then others of its customer overtake it. */
const LEAST_TO_SUSPECT = 5;

/** The guarantees of Sluice, as rules. Records every tracked event, what its tracker reported, and what happened to it. */
export class Model {
  readonly #events = new Map<string, TrackedEvent>();
  /** The broken rules, one line each. */
  readonly problems: string[] = [];
  /** For each sequence of each application: the place of the last event that arrived from that application. */
  readonly #lastPlaces = new Map<string, number>();
  /** The weight of all refusals of single events, and the dead letters of all trackers. */
  #weight = 0;
  #letters = 0;

  track(
    tracked: Pick<TrackedEvent, 'uuid' | 'text' | 'isBad' | 'client' | 'place' | 'sequence'>,
  ): TrackedEvent {
    const event: TrackedEvent = {
      ...tracked,
      safety: 'unsafe',
      arrivals: 0,
      isRefused: false,
      failures: 0,
      mayComeAgain: false,
    };
    this.#events.set(event.uuid, event);
    return event;
  }

  problem(what: string): void {
    this.problems.push(what);
  }

  /** Rule: at every moment each event is counted once. */
  balance(stats: TrackerStats): void {
    const { accepted, recovered, delivered, deadLettered, pending } = stats;
    const [came, went] = [accepted + recovered, delivered + deadLettered + droppedOf(stats) + pending];
    if (came !== went) this.problem(`the books do not balance: ${JSON.stringify(stats)}`);
  }

  /** Rule: an event becomes a dead letter only after several refusals of it alone. */
  deadLettered(count: number): void {
    this.#letters += count;
    if (this.#letters * LETTER_WEIGHT > this.#weight)
      this.problem(`${this.#letters} dead letters after too few refusals`);
  }

  /** Records that an answer refused an event alone. */
  refusedAlone(status: number): void {
    this.#weight += status === 413 ? TOO_LARGE_WEIGHT : 1;
  }

  /** Records that the tracker reported these events as safe. */
  promise(events: readonly TrackedEvent[], safety: 'written' | 'synced'): void {
    for (const event of events) if (event.safety !== 'synced') event.safety = safety;
  }

  /** Rule: a power cut removes only events that were not reported as synced. */
  powerCut(): void {
    for (const event of this.#events.values()) if (event.safety === 'written') event.safety = 'unsafe';
  }

  isBad(uuid: string): boolean {
    return this.#events.get(uuid)?.isBad ?? false;
  }

  /** Records events that may end without being delivered. */
  refused(uuids: readonly string[]): void {
    for (const uuid of uuids) {
      const event = this.#events.get(uuid);
      if (event !== undefined) event.isRefused = true;
    }
  }

  /** Rules: an event that arrives was tracked and has the same bytes. It arrives in its order. */
  arrived(uuid: string, text: string, client: number | undefined): void {
    const event = this.#events.get(uuid);
    if (event === undefined) {
      this.problem(`arrived and was never tracked: ${text}`);
      return;
    }
    if (event.text !== text) this.problem(`arrived and is another: ${text}, not ${event.text}`);
    event.arrivals += 1;
    if (event.arrivals === 1 && event.client === client) this.#checkOrder(event);
  }

  /** A request with this event alone failed, as far as its client knows. */
  failedAlone(uuid: string): void {
    const event = this.#events.get(uuid);
    if (event !== undefined) event.failures += 1;
  }

  #checkOrder({ uuid, client, failures, place, sequence }: TrackedEvent): void {
    if (sequence === undefined) return;
    const key = `${client} ${sequence}`;
    if (place >= (this.#lastPlaces.get(key) ?? 0)) this.#lastPlaces.set(key, place);
    // With strict order none is set aside.
    else if (sequence === STRICT || failures < LEAST_TO_SUSPECT) this.problem(`${uuid} was overtaken`);
  }

  mayComeAgain(uuid: string): void {
    const event = this.#events.get(uuid);
    if (event !== undefined) event.mayComeAgain = true;
  }

  /** @param dropped How many events all trackers reported as dropped, for any reason. */
  verdict(dropped: number, { crashes, faults, scarcity }: Excuses): Verdict {
    const events = [...this.#events.values()];
    const missing = events.filter(({ arrivals, isRefused }) => arrivals === 0 && !isRefused);
    // Rule: an event that was reported as safe is never lost, unless the space for journals was too small.
    const lost = scarcity ? [] : missing.filter(({ safety }) => safety !== 'unsafe');
    for (const { uuid, safety } of lost) this.problem(`lost: ${uuid}, though it was ${safety}`);
    // Rule: without a crash, only events that were reported as dropped are missing.
    if (!crashes && missing.length > dropped)
      this.problem(`${missing.length} events are gone, ${dropped} were dropped: ${names(missing)}`);
    // Rule: no event arrives twice without a reason.
    const repeated = events.filter(({ arrivals }) => arrivals > 1);
    const unexcused = repeated.filter(({ mayComeAgain }) => !crashes && !faults && !mayComeAgain);
    if (unexcused.length > 0) this.problem(`came more than once without a reason: ${names(unexcused)}`);
    return {
      durable: events.filter(({ safety }) => safety !== 'unsafe').length,
      lost: lost.length,
      duplicates: repeated.reduce((total, { arrivals }) => total + arrivals - 1, 0),
    };
  }
}

export function droppedOf({ dropped }: TrackerStats): number {
  let total = 0;
  for (const count of Object.values(dropped)) total += count;
  return total;
}

function names(events: readonly TrackedEvent[]): string {
  return events.map(({ uuid }) => uuid).join(', ');
}

import type { TrackerStats } from '@sluice/core';

/** What an event survives by what the tracker has said: nothing, the end of its process, or a power cut. */
type Safety = 'unsafe' | 'written' | 'synced';

export interface TrackedEvent {
  readonly uuid: string;
  /** Its JSON, as it must arrive. */
  readonly text: string;
  /** Whether the service refuses it. */
  readonly isBad: boolean;
  /** The application that tracked it, and its place among those of one whose order is strict. */
  readonly client: number;
  readonly place: number | undefined;
  safety: Safety;
  arrivals: number;
  /** Whether the service was asked about it alone and refused it, or a policy gave it up. */
  isRefused: boolean;
  /** Whether it was in a request whose outcome the client could not know. */
  mayComeAgain: boolean;
}

/** What may happen in a schedule besides, and so excuses some of what came of it. */
export interface Excuses {
  /** Whether a life ended without closing its tracker. */
  readonly crashes: boolean;
  /** Whether the disk failed. */
  readonly faults: boolean;
  /** Whether the room for journals was so small that trackers may give up events. */
  readonly scarcity: boolean;
}

export interface Verdict {
  readonly durable: number;
  readonly lost: number;
  readonly duplicates: number;
}

/** What Sluice promises, in a few lines: every event that it was given, what it has said of it, and what became of it. */
export class Model {
  readonly #events = new Map<string, TrackedEvent>();
  /** What was not as promised. */
  readonly problems: string[] = [];
  /** For each application whose order is strict, the place of the last event of its own that arrived from it. */
  readonly #lastPlaces = new Map<number, number>();
  #refused = 0;

  track(tracked: Pick<TrackedEvent, 'uuid' | 'text' | 'isBad' | 'client' | 'place'>): TrackedEvent {
    const event: TrackedEvent = {
      ...tracked,
      safety: 'unsafe',
      arrivals: 0,
      isRefused: false,
      mayComeAgain: false,
    };
    this.#events.set(event.uuid, event);
    return event;
  }

  problem(what: string): void {
    this.problems.push(what);
  }

  /** Rule: at every moment each event is in one place. */
  balance(stats: TrackerStats): void {
    const { accepted, recovered, delivered, deadLettered, pending } = stats;
    const [came, went] = [accepted + recovered, delivered + deadLettered + droppedOf(stats) + pending];
    if (came !== went) this.problem(`the books do not balance: ${JSON.stringify(stats)}`);
    // Rule: a dead letter is an event that the service was asked about alone.
    if (deadLettered > this.#refused)
      this.problem(`dead letters that nobody refused: ${JSON.stringify(stats)}`);
  }

  /** The tracker says that these events are safe. */
  promise(events: readonly TrackedEvent[], safety: 'written' | 'synced'): void {
    for (const event of events) if (event.safety !== 'synced') event.safety = safety;
  }

  /** Rule: a power cut takes only what was not said to be synced. */
  powerCut(): void {
    for (const event of this.#events.values()) if (event.safety === 'written') event.safety = 'unsafe';
  }

  isBad(uuid: string): boolean {
    return this.#events.get(uuid)?.isBad ?? false;
  }

  /** Events that may end without being delivered. */
  refused(uuids: readonly string[]): void {
    for (const uuid of uuids) {
      const event = this.#events.get(uuid);
      if (event === undefined) continue;
      event.isRefused = true;
      // Each time: a journal may hold an event twice.
      this.#refused += 1;
    }
  }

  /** Rules: what arrives was tracked, and is the same to the byte; and it is in order where that is strict. */
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

  #checkOrder({ uuid, client, place }: TrackedEvent): void {
    if (place === undefined) return;
    if (place < (this.#lastPlaces.get(client) ?? 0)) this.problem(`${uuid} was overtaken`);
    this.#lastPlaces.set(client, place);
  }

  mayComeAgain(uuid: string): void {
    const event = this.#events.get(uuid);
    if (event !== undefined) event.mayComeAgain = true;
  }

  /** @param dropped How many events the trackers said they had dropped, of whatever life and for whatever reason. */
  verdict(dropped: number, { crashes, faults, scarcity }: Excuses): Verdict {
    const events = [...this.#events.values()];
    const missing = events.filter(({ arrivals, isRefused }) => arrivals === 0 && !isRefused);
    // Rule: what was said to be safe is never gone, unless for want of the room that it may take.
    const lost = scarcity ? [] : missing.filter(({ safety }) => safety !== 'unsafe');
    for (const { uuid, safety } of lost) this.problem(`lost: ${uuid}, though it was ${safety}`);
    // Rule: without a crash nothing is gone that was not said to be dropped.
    if (!crashes && missing.length > dropped)
      this.problem(`${missing.length} events are gone, ${dropped} were dropped: ${names(missing)}`);
    // Rule: nothing comes twice without a reason.
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

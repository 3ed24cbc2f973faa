import { setImmediate } from 'node:timers/promises';
import type { Journal } from '@sluice/core';
import { type Moment, moment, msSince } from '../slots/moment.ts';

type Sharing = NonNullable<Journal['sharing']>;

/** How soon to look again whether the answers are there, in milliseconds. */
const LOOK_MS = 20;
/** How long to wait, after slots were lost, for the answers to requests of before, in milliseconds. */
const ANSWER_MS = 5_000;

interface TurnOptions {
  /** Whether this journal sends at all. */
  readonly mayWork: boolean;
  /** Whether the slots are this journal's now. */
  readonly check: () => boolean;
  /** Resolves once it is known what is in slots that were lost. */
  readonly ready: () => Promise<void>;
  /** Tells the tracker of events that other forwarders have. */
  readonly tell: () => void;
}

/**
 * When the tracker may send: while all slots that it knows are this journal's. Each forwarder has slots of its own, so none waits for
 * another one.
 */
export class Turn implements Sharing {
  readonly #options: TurnOptions;
  #listener: () => void = () => {};
  /** How often slots were lost. */
  #losses = 0;
  #isOpen: boolean;
  /** The requests in progress, but for those that are left. */
  readonly #requests = new Set<object>();
  /** Those that were in progress when slots were lost. */
  readonly #left = new Set<object>();
  #lostAt: Moment = moment();

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#isOpen = options.mayWork;
  }

  /** The tracker asks before each request: nothing is sent of a slot that was lost while the process was stopped. */
  get maySend(): boolean {
    return this.#options.check() && this.#isOpen;
  }

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  request(): () => void {
    const request = {};
    this.#requests.add(request);
    return () => {
      this.#requests.delete(request);
      // If it failed so late, others have delivered its events: the tracker is told again.
      if (this.#left.delete(request) && this.#isOpen) this.#close();
    };
  }

  /** Slots were lost. What the tracker knows of them is another forwarder's. */
  lose(): void {
    this.#losses += 1;
    this.#lostAt = moment();
    for (const request of this.#requests) this.#left.add(request);
    this.#requests.clear();
    this.#close();
  }

  /** Resolves once the answers have come to requests of before slots were lost. What fails goes back then: others have it. */
  async answered(): Promise<void> {
    while (this.#left.size > 0 && msSince(this.#lostAt) < ANSWER_MS) await nextLook();
  }

  /** For as long as it takes to tell the tracker what others have. */
  #close(): void {
    this.#isOpen = false;
    this.#listener();
    void this.#open(this.#losses);
  }

  /** @param losses How often slots had been lost. */
  async #open(losses: number): Promise<void> {
    const { mayWork, ready, tell } = this.#options;
    await ready();
    await this.answered();
    // Once the tracker knows what was stored meanwhile, and has put back what it had taken.
    await setImmediate();
    if (!mayWork || losses < this.#losses) return;
    tell();
    this.#isOpen = true;
    this.#listener();
  }
}

function nextLook(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref());
}

/** What becomes durable together. */
export interface Group {
  /** The keys of its events and of its parcels, three words each. */
  readonly events: number[];
  readonly parcels: number[];
  /** Whether some of it was dropped. */
  isLost: boolean;
  /** Settles once it is known whether the group is durable. */
  readonly done: Promise<void>;
}

/** Group commit: all that comes while one group becomes durable is the next group. */
export class Commits {
  readonly #commit: (group: Group) => Promise<void>;
  #next: (Group & { end(result: Promise<void>): void }) | undefined;
  #current: Group | undefined;
  #running: Promise<void> | undefined;

  constructor(commit: (group: Group) => Promise<void>) {
    this.#commit = commit;
  }

  /** The group of what is accepted now. */
  join(): Group {
    if (this.#next === undefined) {
      let end: (result: Promise<void>) => void = () => undefined;
      const done = new Promise<void>((resolve) => {
        end = resolve;
      });
      // Whoever joins awaits it too.
      done.catch(() => undefined);
      this.#next = { events: [], parcels: [], isLost: false, done, end };
      // Requests that have arrived together join the same group.
      if (this.#running === undefined) setImmediate(() => this.#run());
    }
    return this.#next;
  }

  /** Resolves once all that was accepted by now is durable. Rejects if some of it is not. */
  async all(): Promise<void> {
    await Promise.all([this.#running, this.#next?.done]);
  }

  /** Something was dropped that is not durable yet: nobody knows of which group it was. */
  lose(): void {
    for (const group of [this.#current, this.#next]) if (group) group.isLost = true;
  }

  #run(): void {
    const group = this.#next;
    if (group === undefined) return;
    this.#next = undefined;
    this.#current = group;
    const running = this.#commit(group);
    this.#running = running;
    group.end(running);
    const ended = () => {
      this.#running = undefined;
      // What has arrived meanwhile is read first.
      if (this.#next) setImmediate(() => this.#run());
    };
    running.then(ended, ended);
  }
}

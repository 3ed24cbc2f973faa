interface Flight {
  readonly controller: AbortController;
  readonly answer: Promise<string>;
  waiting: number;
}

/** Lets all who ask for one key at one time wait for one request, which is aborted when the last of them leaves. */
export class SharedRequests {
  readonly #flights = new Map<string, Flight>();
  readonly #start: (key: string, signal: AbortSignal) => Promise<string>;

  constructor(start: (key: string, signal: AbortSignal) => Promise<string>) {
    this.#start = start;
  }

  /** Waits for the answer for `key`. Rejects with the signal's reason as soon as it aborts. */
  join(key: string, signal: AbortSignal | undefined): Promise<string> {
    const flight = this.#flights.get(key) ?? this.#takeOff(key);
    flight.waiting += 1;
    return new Promise<string>((resolve, reject) => {
      const leave = (): void => {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          this.#land(key, flight);
          flight.controller.abort();
        }
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      flight.answer.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  #takeOff(key: string): Flight {
    const controller = new AbortController();
    const flight: Flight = { controller, answer: this.#start(key, controller.signal), waiting: 0 };
    this.#flights.set(key, flight);
    const land = (): void => this.#land(key, flight);
    flight.answer.then(land, land);
    return flight;
  }

  #land(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

interface Flight {
  readonly answer: Promise<string>;
  /** Aborts the request if it is not over. The next read of the key then starts a new request. */
  readonly end: () => void;
  waiting: number;
}

/** Callers that ask for the same key at the same time share one request. It is aborted when the last caller leaves. */
export class SharedRequests {
  readonly #flights = new Map<string, Flight>();
  readonly #start: (key: string, signal: AbortSignal) => Promise<string>;

  constructor(start: (key: string, signal: AbortSignal) => Promise<string>) {
    this.#start = start;
  }

  /** Waits for the answer for `key`. Rejects with the signal's reason as soon as the signal aborts. */
  join(key: string, signal: AbortSignal | undefined): Promise<string> {
    const flight = this.#flights.get(key) ?? this.#takeOff(key);
    flight.waiting += 1;
    return new Promise<string>((resolve, reject) => {
      const leave = (): void => {
        flight.waiting -= 1;
        if (flight.waiting === 0) flight.end();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave);
      flight.answer.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  #takeOff(key: string): Flight {
    const controller = new AbortController();
    const end = (): void => {
      controller.abort();
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    const flight: Flight = { answer: this.#start(key, controller.signal), end, waiting: 0 };
    this.#flights.set(key, flight);
    flight.answer.then(end, end);
    return flight;
  }
}

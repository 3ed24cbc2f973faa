import { abortable } from './abortable.ts';

interface Flight {
  readonly answer: Promise<string>;
  /** Aborts the request if it is not over. The next read of the key then starts a new request. */
  readonly end: () => void;
  waiting: number;
}

/**
 * Returns a function that waits for the answer for a key. Callers that ask for the same key at the same time share one request. It
 * is aborted when the last caller leaves. The promise of a caller rejects with the signal's reason as soon as the signal aborts.
 */
export function sharedRequests(
  start: (key: string, signal: AbortSignal) => Promise<string>,
): (key: string, signal: AbortSignal | undefined) => Promise<string> {
  const flights = new Map<string, Flight>();
  const takeOff = (key: string): Flight => {
    const controller = new AbortController();
    const end = () => {
      controller.abort();
      if (flights.get(key) === flight) flights.delete(key);
    };
    const flight: Flight = { answer: start(key, controller.signal), end, waiting: 0 };
    flights.set(key, flight);
    flight.answer.then(end, end);
    return flight;
  };
  return (key, signal) => {
    const flight = flights.get(key) ?? takeOff(key);
    flight.waiting += 1;
    return abortable(flight.answer, signal, () => {
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.end();
    });
  };
}

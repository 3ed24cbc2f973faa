import type { Taken } from './watched-service.ts';

/** A time in which a page was cut off from its requests: it had ended, or was put aside until it was shown again. */
export interface Cut {
  readonly from: number;
  to: number;
}

/**
 * A page may need this long, after its answer was sent, to record it: it must read the answer and delete the events, in a browser that
 * shares the processor with others.
 */
const NOTED_MS = 4_000;

export interface Repeats {
  /** Events that arrived again because no page could know that they had arrived. */
  readonly excused: number;
  /** Events that arrived again although the page that had sent them knew that they had arrived. */
  readonly unexcused: number;
  /** The times of both arrivals, one line for each pair of requests. */
  readonly examples: readonly string[];
}

/**
 * Counts the events that arrived again. A repeat is excused if it came after the outcome of the first request was cut off, or if
 * the sender of the second request was gone when it arrived.
 */
export function countRepeats(taken: readonly Taken[], cutsOf: (life: number) => readonly Cut[]): Repeats {
  const before = new Map<string, Taken>();
  const found = new Map<string, number>();
  let [excused, unexcused] = [0, 0];
  for (const request of taken) {
    for (const uuid of request.uuids) {
      const last = before.get(uuid);
      before.set(uuid, request);
      if (last === undefined) continue;
      if (isCutOff(last, request, cutsOf) || isLeftBehind(request, cutsOf)) excused += 1;
      else {
        unexcused += 1;
        const pair = `${describe(last)}; ${describe(request)}`;
        found.set(pair, (found.get(pair) ?? 0) + 1);
      }
    }
  }
  const examples = [...found].map(([pair, count]) => `${count} events: ${pair}`);
  return { excused, unexcused, examples };
}

function isCutOff(
  { life, answeredAt, arrivedAt }: Taken,
  again: Taken,
  cutsOf: (life: number) => readonly Cut[],
): boolean {
  // No page of the harness made it, so none reads the answer.
  if (answeredAt === undefined || life === undefined) return true;
  return cutsOf(life).some(
    ({ from, to }) => answeredAt > from - NOTED_MS && arrivedAt < to && again.arrivedAt > from,
  );
}

/** Whether the browser sent it for a page that was gone. That page could not know what other pages had done meanwhile. */
function isLeftBehind({ life, arrivedAt }: Taken, cutsOf: (life: number) => readonly Cut[]): boolean {
  return life === undefined || cutsOf(life).some(({ from, to }) => arrivedAt >= from && arrivedAt < to);
}

function describe({ life, uuids, arrivedAt, answeredAt = Number.NaN }: Taken): string {
  const times = `at ${arrivedAt.toFixed()} ms, answered ${(answeredAt - arrivedAt).toFixed()} ms later`;
  return `${uuids.size} from page ${life} ${times}`;
}

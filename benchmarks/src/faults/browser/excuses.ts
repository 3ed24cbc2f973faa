import type { Taken } from './watched-service.ts';

/** A page was cut off from its requests: it ended, or was put aside until it was shown again. */
export interface Cut {
  readonly from: number;
  to: number;
}

/** So long after its answer was sent a page may not have noted it yet: reading it and deleting what it is about take time. */
const NOTED_MS = 1_000;

export interface Repeats {
  /** Events that came again, since nobody could know that they had arrived. */
  readonly excused: number;
  /** Events that came again though the page that had sent them knew. */
  readonly unexcused: number;
  /** When they came before and when again, one line for each two requests. */
  readonly examples: readonly string[];
}

/** Looks at every event that came again: was the outcome of its request before that one cut off, or its sender gone by now? */
export function countRepeats(taken: readonly Taken[], cutsOf: (life: number) => readonly Cut[]): Repeats {
  const before = new Map<string, Taken>();
  const found = new Map<string, number>();
  let [excused, unexcused] = [0, 0];
  for (const request of taken) {
    for (const uuid of request.uuids) {
      const last = before.get(uuid);
      before.set(uuid, request);
      if (last === undefined) continue;
      if (isCutOff(last, cutsOf) || isLeftBehind(request, cutsOf)) excused += 1;
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

function isCutOff({ life, answeredAt, arrivedAt }: Taken, cutsOf: (life: number) => readonly Cut[]): boolean {
  // What the browser sends for a page that asked for it with `fetchLater` bears no mark, and nobody reads the answer.
  if (answeredAt === undefined || life === undefined) return true;
  return cutsOf(life).some(({ from, to }) => answeredAt > from - NOTED_MS && arrivedAt < to);
}

/** Whether the browser carried it for a page that was gone, and could not learn what others did meanwhile. */
function isLeftBehind({ life, arrivedAt }: Taken, cutsOf: (life: number) => readonly Cut[]): boolean {
  return life === undefined || cutsOf(life).some(({ from, to }) => arrivedAt >= from && arrivedAt < to);
}

function describe({ life, uuids, arrivedAt, answeredAt = Number.NaN }: Taken): string {
  const times = `at ${arrivedAt.toFixed()} ms, answered ${(answeredAt - arrivedAt).toFixed()} ms later`;
  return `${uuids.size} from page ${life} ${times}`;
}

import type { Machine } from './machine.ts';
import type { VirtualProcess } from './virtual-process.ts';

export interface Watched {
  readonly machine: Machine;
  readonly process: VirtualProcess;
  readonly what: string;
  /** Time limit in a process that is neither stopped nor ended. */
  readonly mostMs: number;
}

/** Checks that a promise settles in time. It may reject only if `rejected` is given. */
export function watch<Result>(
  { machine, process, what, mostMs }: Watched,
  promise: Promise<Result>,
  { resolved, rejected }: { resolved: (result: Result) => void; rejected?: (error: unknown) => void },
): void {
  const { agenda, model } = machine;
  let stops = process.stops;
  const check = () => {
    if (process.isDead) return;
    if (process.stops === stops) return model.problem(`${what} has not settled after ${mostMs} ms`);
    if (!process.isStopped) stops = process.stops;
    deadline = agenda.add(mostMs, check);
  };
  let deadline = agenda.add(mostMs, check);
  // Ignore what a dead process reports.
  promise.then(
    (result) => {
      deadline.cancel();
      if (!process.isDead) resolved(result);
    },
    (error) => {
      deadline.cancel();
      if (process.isDead) return;
      if (rejected === undefined) model.problem(`${what} rejects: ${String(error)}`);
      else rejected(error);
    },
  );
}

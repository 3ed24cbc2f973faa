/** A moment on both clocks of the process. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export function moment(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

/**
 * How long ago that was, in milliseconds, or longer. The steady clock stands still while a virtual machine sleeps, the other one may
 * be set back: the larger one counts.
 */
export function msSince({ steady, wall }: Moment): number {
  return Math.max(performance.now() - steady, Date.now() - wall);
}

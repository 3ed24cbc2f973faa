import { type Clock, parseHttpDate } from '@sluice/protocol/toolbox';
import { isWithin } from '../base/user-code.ts';

/** A smaller difference may come from a slow answer. */
const LEAST_MS = 60_000;
/** A clock that shows another year is wrong, whoever has it. */
const isTime = isWithin(Date.UTC(2026), Date.UTC(2200));

/** Keeps what was learned for later pages. */
interface OffsetStore {
  load(): string | null | undefined;
  save(text: string): void;
}

/** How far this device's clock is behind the service's, by the `Date` of its answers. */
export class ClockOffset {
  /** In milliseconds. 0 if the clocks differ by at most a minute, or if that is not known. */
  ms = 0;
  readonly #store: OffsetStore | undefined;

  constructor(clock: Clock, store?: OffsetStore) {
    this.#store = store;
    const [ms = 0, at = 0] = (store?.load() ?? '').split(' ').map(Number);
    const now = clock.now();
    // Somebody may have corrected the clock since: then the offset does not hold.
    const holds = ms > 0 ? now < at : now + ms >= at;
    if (isTime(at) && isTime(now + ms) && holds) this.ms = ms;
  }

  /** The service accepted a request that began and ended at these times of this device. */
  learn(date: string | undefined, from: number, to: number): void {
    const at = parseHttpDate(date);
    if (!isTime(at)) return;
    const before = this.ms;
    const aheadMs = from - at;
    const behindMs = at - to;
    this.ms = aheadMs > LEAST_MS ? -aheadMs : behindMs > LEAST_MS ? behindMs : 0;
    if (before !== 0 || this.ms !== 0) this.#store?.save(`${this.ms} ${at}`);
  }
}

import { MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import type { Parcel } from '../keep/parcel.ts';
import type { PageParts } from '../parts.ts';

/** Of an event in storage, beside its own bytes. */
const OVERHEAD_BYTES = 32;
/** How often to look for events that are too old, as a part of the age that they may reach. */
const CHECKS = 20;

/** The limits of `storage`. */
export const bounds: NonNullable<PageParts['bounds']> = ({ settings, clock, parcels, end, cut, wake }) => {
  const {
    maxAgeMs = Number.POSITIVE_INFINITY,
    maxBytes = Number.POSITIVE_INFINITY,
    whenFull,
  } = settings.storage;
  const alarm = new Alarm(clock, wake);

  function room(): number {
    let left = maxBytes;
    for (const parcel of parcels.all.values()) if (!parcels.unwritten.has(parcel)) left -= bytesOf(parcel);
    return left;
  }

  /** Drops the oldest that wait, those of high priority last. Returns the room that there is then. */
  function dropOldest(wanted: number, isHigh: boolean): number {
    let left = room();
    for (const high of isHigh ? [false, true] : [false])
      for (const parcel of [...parcels.all.values()]) {
        if (left >= wanted) return left;
        if (parcel.isHigh !== high || parcel.state !== 'waiting' || parcels.unwritten.has(parcel)) continue;
        left += bytesOf(parcel);
        end(parcel, 'journal-full');
      }
    return left;
  }

  /** Of a parcel that is not written yet, what has room stays. */
  function fit(parcel: Parcel, left: number): void {
    const count = Math.floor((parcel.count * left) / bytesOf(parcel));
    if (count <= 0) return void end(parcel, 'journal-full');
    const [first, rest] = cut(parcel, count);
    if (rest) end(rest, 'journal-full');
    if (first) first.state = 'waiting';
  }

  return {
    hasRoom: (bytes) => bytes <= room(),
    makeRoom() {
      let written = 0;
      for (const parcel of maxBytes < Number.POSITIVE_INFINITY ? [...parcels.unwritten] : []) {
        if (parcel.isWriting) {
          written += bytesOf(parcel);
          continue;
        }
        const bytes = bytesOf(parcel);
        let left = room() - written;
        if (left < bytes && bytes <= maxBytes && whenFull === 'drop-oldest')
          left = dropOldest(bytes + written, parcel.isHigh) - written;
        if (left >= bytes) written += bytes;
        else if (parcel.state === 'waiting') fit(parcel, left);
      }
    },
    dropExpired(retries) {
      if (maxAgeMs === Number.POSITIVE_INFINITY) return;
      const before = clock.now() - maxAgeMs;
      const mayEnd = [...parcels.all.values()].filter(
        ({ state, session }) => state === 'waiting' && !session,
      );
      for (const parcel of [...mayEnd, ...retries.flatMap((batch) => batch.parcels)])
        if (parcel.at < before && parcel.state !== 'ended') end(parcel, 'expired');
      if (parcels.all.size > 0) alarm.set(Math.min(maxAgeMs / CHECKS, MAX_TIMER_MS));
      else alarm.cancel();
    },
    stop: () => alarm.stop(),
  };
};

function bytesOf({ bytes, count }: Parcel): number {
  return bytes + OVERHEAD_BYTES * count;
}

import { MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import type { Parcel } from '../keep/parcel.ts';
import type { PageParts } from '../parts.ts';

/** Of an event in storage, beside its own bytes. */
const OVERHEAD_BYTES = 32;
/** How often to look for events that are too old, as a part of the age that they may reach. */
const CHECKS = 20;

/** The limits of `storage`. Held events have limits of their own. */
export const bounds: NonNullable<PageParts['bounds']> = ({ settings, clock, parcels, wake }) => {
  const { storage } = settings;
  const { cut, end } = parcels;
  const { maxAgeMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = storage;
  const alarm = new Alarm(clock, wake);
  const all = () => [...parcels.all.values()].filter(({ session }) => !session);
  const room = () => all().reduce((left, parcel) => left - bytesOf(parcel), maxBytes);

  /** Of what is not written yet, and is in no request. */
  const unwritten = () =>
    all().filter(({ kept, state }) => state === 'waiting' && (!kept || kept === 'failed'));

  /** The first events stay, up to so many bytes. */
  function keepFirst(parcel: Parcel, bytes: number): void {
    const count = Math.floor((parcel.count * Math.max(0, bytes)) / bytesOf(parcel));
    if (count >= parcel.count) return;
    const { state } = parcel;
    const [first, rest = parcel] = count > 0 ? cut(parcel, count) : [];
    if (first) first.state = state;
    end(rest, 'journal-full');
  }

  /** The oldest go, those of high priority last. */
  function dropOldest(): void {
    let left = room();
    for (const isHigh of [false, true])
      for (const parcel of all()) {
        if (left >= 0) return;
        if (!!parcel.isHigh !== isHigh || parcel.state !== 'waiting') continue;
        left += bytesOf(parcel);
        end(parcel, 'journal-full');
      }
  }

  return {
    hasRoom: (bytes) => bytes <= room(),
    makeRoom() {
      if (maxBytes === Number.POSITIVE_INFINITY) return;
      // What can never fit must not push out all others.
      for (const parcel of unwritten()) keepFirst(parcel, maxBytes);
      if (storage.whenFull === 'drop-oldest') dropOldest();
      for (const parcel of unwritten().reverse()) {
        const left = room();
        if (left >= 0) return;
        keepFirst(parcel, bytesOf(parcel) + left);
      }
    },
    expire(retries) {
      if (maxAgeMs === Number.POSITIVE_INFINITY) return;
      const before = clock.now() - maxAgeMs;
      const waiting = all().filter(({ state }) => state === 'waiting');
      for (const parcel of [...waiting, ...retries.flatMap((batch) => batch.parcels)])
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

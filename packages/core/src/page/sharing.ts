import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Fate } from '../base/fate.ts';
import type { Breaker } from '../pace/breaker.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Identity } from './identity.ts';
import type { Keeper } from './keep/keeper.ts';
import type { Letters } from './keep/letters.ts';
import { idOf, type Parcel } from './keep/parcel.ts';
import type { Parcels } from './keep/parcels.ts';
import type { Message } from './keep/tabs.ts';
import type { Sender } from './send/sender.ts';

/** A page that says that it has events may be gone before it sends them. */
const LOOK_MS = 3_000;

interface SharingOptions {
  readonly parcels: Parcels;
  readonly keeper: Keeper;
  readonly letters: Letters;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly end: (parcel: Parcel, fate: Fate) => void;
  /** What was held before is too old. */
  readonly oldestAt: () => number;
  readonly hold: boolean;
  /** Whether consent is denied: what is listed is to be dropped. */
  readonly isDenied: () => boolean;
}

/** Stages that are made later. */
interface Later {
  readonly gate: Breaker;
  readonly identity: Identity;
  readonly sender: Sender;
}

/** What this page learns from others, and they from it, over what is stored. */
export interface Sharing {
  /** Another page told something. */
  hear(message: Message): void;
  /** Lists what is stored. */
  refresh(): Promise<void>;
  /** Lists what is stored for the first time. */
  open(): Promise<void>;
  /** Resolves once that is done. */
  opened(): Promise<void>;
  /** A pause began or ended: others must know. */
  share(): void;
  /** Consent is denied: drops what this page knows, then what others left. */
  purge(): void;
  /** Resolves once all of that is deleted. */
  purged(): Promise<void>;
  stop(): void;
}

export function createSharing(options: SharingOptions, later: () => Later): Sharing {
  const { parcels, keeper, letters, clock, reporter, end, oldestAt, hold, isDenied } = options;
  /** The pause of which all pages know. 0: this page has not looked yet. */
  let sharedUntil: number | undefined = 0;
  let opened: Promise<void> = Promise.resolve();
  let purging: Promise<void> = Promise.resolve();
  const looking = new Alarm(clock, () => void look());

  function lookIn(waitMs: number): void {
    if (clock.now() + waitMs < (looking.until ?? 0)) looking.cancel();
    looking.set(waitMs);
  }

  async function refresh(): Promise<void> {
    const { found, leasedUntil, letters: listed, pause } = await keeper.refresh();
    if (found > 0) reporter.recovered('recovered', found);
    parcels.sort();
    letters.listed(keeper.survives ? listed : letters.keys);
    if (leasedUntil < Number.POSITIVE_INFINITY) lookIn(leasedUntil - clock.now());
    for (const parcel of [...parcels.all.values()])
      if (parcel.session && parcel.at < oldestAt()) end(parcel, 'expired');
    const { gate } = later();
    // Another page had an answer: no probe of this one may pause them all again.
    if (keeper.survives && !pause && sharedUntil) gate.accepted();
    if (pause && pause[0] !== sharedUntil) gate.share(pause, sharedUntil === 0);
    sharedUntil = pause?.[0];
  }

  async function look(): Promise<void> {
    await refresh().catch(reporter.storageFailed);
    if (isDenied()) purge();
    parcels.isOpening = false;
    later().sender.wake();
  }

  function purge(): void {
    drop();
    purging = refresh().then(drop, drop).then(keeper.clear).catch(reporter.storageFailed);
    letters.drop(letters.keys, 'denied');
  }

  function drop(): void {
    later().sender.deny();
    for (const parcel of [...parcels.all.values()])
      if (parcel.state === 'waiting' && isDenied()) {
        keeper.remove(parcel);
        parcels.end(parcel, 'denied');
      }
  }

  function open(): Promise<void> {
    opened = look();
    return opened;
  }

  return {
    hear(message) {
      const { identity, sender } = later();
      if (message[0] === 'waits') {
        sender.wanted();
        return lookIn(LOOK_MS);
      }
      if (message[0] === 'who') return identity.answer();
      if (message[0] === 'session') return void (hold && identity.hear(message[1], message[2], message[3]));
      const [kind, id, what] = message;
      const parcel = parcels.all.get(id);
      if (!parcel) return;
      if (kind === 'ended') {
        if (keeper.wasCleared) keeper.remove(parcel);
        parcels.end(parcel, what);
      } else {
        const { epoch, texts } = parcel;
        parcels.end(parcel);
        let start = 0;
        for (const key of what) {
          const part = parcels.all.get(idOf(key)) ?? parcels.found(key, epoch);
          const own = texts?.slice(start, start + key[2]);
          start += key[2];
          // They are stored again should the database be deleted.
          if (own && !part.texts) parcels.loaded(part, own);
        }
        parcels.sort();
      }
      sender.wake();
    },
    refresh,
    open,
    opened: () => opened,
    share() {
      const { shared } = later().gate;
      sharedUntil = shared?.[0];
      keeper.share(shared);
    },
    purge,
    purged: () => purging,
    stop: () => looking.stop(),
  };
}

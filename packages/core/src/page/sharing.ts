import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Settings } from '../options/settings.ts';
import type { Breaker } from '../pace/breaker.ts';
import type { Books } from '../tell/books.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { ConsentGate } from './consent.ts';
import type { Identity } from './identity.ts';
import type { Keeper } from './keep/keeper.ts';
import type { Letters } from './keep/letters.ts';
import { type Parcel, readKeys, SENT } from './keep/parcel.ts';
import type { Parcels } from './keep/parcels.ts';
import type { Message } from './keep/tabs.ts';
import type { Sender } from './send/sender.ts';

/** So many parcels that ended are known. */
const MOST_PAST = 1_000;
/** A page that says that it has events, or has them in a request, may be gone. How often others look. */
const LOOK_MS = 3_000;
/** After storage failed to list. */
const RELIST_MS = 30_000;
/**
 * What may have arrived is sent again by a page that has been there for so long: it will probably see the answer. Pages that are left
 * at once would send it again and again.
 */
const STAY_MS = 5_000;

interface SharingOptions {
  readonly gate: Breaker;
  readonly identity: Identity;
  readonly sender: Sender;
  readonly name: string;
  readonly parcels: Parcels;
  readonly keeper: Keeper;
  readonly letters: Letters;
  readonly clock: Clock;
  readonly books: Books;
  readonly reporter: Reporter;
  readonly settings: Pick<Settings, 'leaving'>;
  readonly consent: ConsentGate;
}

/** What this page learns from others, and they from it, over what is stored. */
interface Sharing {
  /** Another page told something. */
  hear(message: Message): void;
  /** Lists what is stored. */
  list(): Promise<void>;
  /** As the page opens, or consent is denied: lists what is stored, and sends or drops it. */
  look(): void;
  /** Resolves once that is done. */
  settled(): Promise<void>;
  /** A pause began or ended: others must know. */
  share(): void;
  stop(): void;
}

export function createSharing(options: SharingOptions): Sharing {
  const { gate, identity, sender, parcels, keeper, letters, clock, books, reporter } = options;
  const { name, settings, consent } = options;
  const createdAt = clock.now();
  /** The pause of which all pages know. 0: this page has not looked yet. */
  let sharedUntil: number | undefined = 0;
  let last: Promise<void> = Promise.resolve();
  const looking = new Alarm(clock, look);
  /** Another page that ends much tells that in many messages: the sender looks at all that waits. */
  const waking = new Alarm(clock, sender.wake);

  /** Compares what is known with what is stored. */
  async function list(): Promise<void> {
    const keys = await keeper.list();
    if (keys) compare(keys);
    else letters.found(letters.keys);
    identity.expire();
  }

  function compare(keys: readonly IDBValidKey[]): void {
    const now = clock.now();
    const isNew = Math.abs(now - createdAt) < STAY_MS;
    const { stored, letters: listed, odd, over, pause } = readKeys(keys, now);
    if (odd.length > 0) reporter.emit('damaged', { place: name, bytes: 0 });
    for (const key of [...odd, ...over]) keeper.put(key);
    // Who ended it told the others.
    for (const parcel of parcels.list())
      if (parcel.isStored && !stored.has(parcel.id)) parcels.gone(parcel, 'delivered');
    for (const id of parcels.past)
      if (parcels.past.size > MOST_PAST && !stored.has(id)) parcels.past.delete(id);
    let found = 0;
    const sent: Parcel[] = [];
    for (const [id, { key, until, answered = 0 }] of stored) {
      const isSent = answered === SENT;
      const freeAt = until || (until === 0 && isNew && !isSent ? createdAt + STAY_MS : 0);
      // Its page may be gone, or the clock may be set back.
      if (freeAt > 0) looking.set(LOOK_MS);
      let parcel = parcels.all.get(id);
      // Another page gave it its customer, and this one did not hear of that.
      if (parcel?.session && !key[5]) {
        parcels.gone(parcel, undefined);
        parcel = parcels.found(key, parcel.epoch);
      }
      if (!parcel) {
        if (freeAt > 0 || parcels.changes.has(id) || parcels.past.has(id)) continue;
        parcel = parcels.found(key);
        found += parcel.count;
      }
      // Its own lease may be about to end.
      parcel.leasedUntil = parcels.changes.has(`${id} lease`) ? 0 : freeAt;
      if (until !== 0 || freeAt > 0 || parcel.isFrozen || parcel.state !== 'waiting') continue;
      // Nobody knows the answer to its request. Until it is sent again its lease tells other pages the same.
      parcel.isFrozen = true;
      if (isSent || (settings.leaving === 'once' && answered === 1)) sent.push(parcel);
      else books.maybeDuplicate += parcel.count;
    }
    if (found > 0) reporter.recovered('recovered', found);
    for (const parcel of sent) parcels.end(parcel, 'delivered');
    parcels.sort();
    letters.found(listed.filter((key) => !parcels.changes.has(String(key))));
    // Another page had an answer: no probe of this one may pause them all again.
    if (!pause && sharedUntil && !parcels.changes.has('pause')) gate.accepted();
    if (pause && pause[0] !== sharedUntil) gate.share(pause, sharedUntil === 0);
    sharedUntil = pause?.[0];
  }

  function look(): void {
    drop();
    last = list()
      .catch((error) => {
        reporter.storageFailed(error);
        looking.set(RELIST_MS);
      })
      .then(() => {
        drop();
        sender.wake();
      });
  }

  /** Once consent is denied, what this page knows, and all that others left. */
  function drop(): void {
    if (consent.current !== 'denied') return;
    sender.deny();
    parcels.endAll('denied', ({ state }) => state === 'waiting');
    letters.drop(letters.keys, 'denied');
    keeper.commitSoon();
  }

  return {
    hear(message) {
      if (message[0] === 'waits') {
        sender.waits();
        return looking.set(LOOK_MS);
      }
      if (message[0] === 'who') return identity.answer();
      if (message[0] === 'session') {
        const [, ...session] = message;
        return identity.hear(...session);
      }
      if (message[0] === 'out') {
        for (const id of message[1]) {
          const parcel = parcels.all.get(id);
          // What this page has to send again, it looks up in storage first.
          if (parcel?.state === 'waiting') [, , parcel.leasedUntil] = message;
        }
        return;
      }
      const [, id, fate, keys = []] = message;
      // What was cut ends once its parts are stored.
      if (fate) parcels.past.add(id);
      const parcel = parcels.all.get(id);
      // The answer to a pending request says more than that another page may not send it.
      if (!parcel || (fate === 'denied' && parcel.state === 'out')) return;
      parcels.gone(parcel, fate);
      for (const key of keys) parcels.found(key, parcel.epoch);
      parcels.sort();
      waking.set(0);
    },
    list,
    look,
    settled: () => last,
    share() {
      const { shared } = gate;
      sharedUntil = shared?.[0];
      keeper.share(shared);
    },
    stop: () => looking.stop(),
  };
}

import type { Clock } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import type { EventTexts } from '../accept/event-text.ts';
import { uuid } from '../base/uuid.ts';
import type { Settings } from '../options/settings.ts';
import type { ConsentGate } from './consent.ts';
import type { Keeper } from './keep/keeper.ts';
import {
  byteLength,
  encoder,
  isParcel,
  isTexts,
  NO_SESSION,
  NOTE,
  type Parcel,
  SECRET,
  stamped,
  UNKNOWN,
  UNREAD,
} from './keep/parcel.ts';
import type { Parcels } from './keep/parcels.ts';
import type { Message } from './keep/tabs.ts';

interface IdentityOptions {
  readonly parcels: Parcels;
  readonly keeper: Keeper;
  readonly texts: EventTexts;
  readonly tell: (message: Message) => void;
  readonly settings: Pick<Settings, 'unidentified'>;
  readonly clock: Clock;
  readonly consent: ConsentGate;
  readonly onFailed: (error: unknown) => void;
}

export interface Identity {
  /** Of events that are held now. */
  readonly session: string;
  identify(customer: string | undefined): void;
  /** Another page says who is the customer. @param isLost It could not write the note. */
  hear(id: string, customer: string | undefined, isNew: boolean, isLost?: boolean): void;
  /** Another page asks who is the customer. */
  answer(): void;
  /** The page is opened, or back: the customer may be another one. */
  look(): void;
  /** Drops what is held for too long. */
  expire(): void;
  /** The page may go: what is held is stored for the session that it knows. */
  leave(): void;
  /** Resolves once all of that is done, if there is consent. */
  settled(): Promise<void>;
}

/** Holds events until a customer is identified. All pages share the session, and its customer. */
export function createIdentity(options: IdentityOptions): Identity {
  const { settings, clock, parcels, keeper, texts, consent, tell, onFailed } = options;
  const { hold, maxAgeMs } = settings.unidentified;
  /** The session of which this page knows, and its customer. */
  let id = UNKNOWN;
  let customer: string | undefined;
  /** The note, where storage has none. */
  let kept: string | undefined;
  /** Whether `kept` is newer than the note in storage, because a write failed. */
  let isAhead = false;
  /** The note that storage had last: empty if there was none, undefined if it was never read. */
  let replaced: unknown;
  /** Whether the session of what is held is known. */
  let isKnown = false;
  let heard: readonly [id: string, customer: string | undefined] | undefined;
  /** Calls of `identify()` and `reset()` that are not carried out yet. */
  const claims = new Set<object>();
  let last: Promise<void> = Promise.resolve();

  /** What was held before is too old. */
  const oldestAt = () => clock.now() - maxAgeMs;

  function expire(): void {
    parcels.endAll('expired', ({ at, session }) => session && at < oldestAt());
  }

  function run(work: () => unknown): void {
    last = last.then(consent.granted).then(work).catch(onFailed).then(keeper.commit);
  }

  /** Begins a new group of held events. */
  function nextStay(): number {
    isKnown = false;
    return parcels.mark();
  }

  /**
   * Changes the note, and with it what is held: events of its session become the customer's.
   *
   * @param next Finds out session and customer from the session of the note and the digest of its customer, and returns the next note.
   * @param claim A claim drops what is held of other sessions.
   * @returns Whether no other claim waits.
   */
  async function change(
    next: (session: string, owner: string | undefined) => string,
    before: number,
    claim?: object,
  ): Promise<boolean> {
    let made: string | undefined;
    /** The session of the note until now. */
    let former = NO_SESSION;
    const work = async (objects?: IDBObjectStore) => {
      const stored = objects && (await promisifyRequest<unknown>(objects.get(NOTE)));
      // Also for the second time, without storage. Another page may have written a newer one.
      if (typeof stored === 'string' && (!isAhead || stored !== (replaced ?? stored))) kept = stored;
      if (objects) replaced = stored ?? '';
      const [session = NO_SESSION, owner] = kept?.split(' ') ?? [];
      const note = next(session, owner);
      former = session;
      made = note;
      if (!objects || !(claim || isAhead || customer !== undefined)) return;
      if (note !== stored) objects.put(note, NOTE);
      for (const key of await promisifyRequest(objects.getAllKeys())) {
        if (!isParcel(key) || key[5] === '' || key[4] < oldestAt()) continue;
        const [page, number, count, bytes, at, held] = key;
        if ((held === UNREAD ? session : held) === id && customer !== undefined) {
          const value = await promisifyRequest<unknown>(objects.get(key));
          const grown = bytes + count * lengthOf(customer);
          if (isTexts(value, count))
            objects.put(stamped(value, customer), [page, number, count, grown, at, '']);
        } else if (!claim) continue;
        objects.delete(key);
      }
    };
    await keeper.commitAll();
    try {
      // What a page spilled as it was left is of the session too.
      if (claim) await keeper.list();
      await keeper.use(work);
      isAhead = false;
      replaced = made;
    } catch (error) {
      onFailed(error);
      await work();
      // A page that only reads has nothing newer.
      isAhead ||= !!claim;
    }
    kept = made;
    if (claim) claims.delete(claim);
    const isLast = claims.size === 0;
    // Also for what was held meanwhile.
    isKnown ||= isLast;
    expire();
    for (const parcel of parcels.list()) {
      // What other pages left was tracked before.
      const isOld = parcel.page !== parcels.own || parcel.epoch <= before;
      if (parcel.session === '' || !(isOld || isLast)) continue;
      if (parcel.session === UNKNOWN) parcel.session = isOld ? former : id;
      const session = parcel.session === UNREAD ? former : parcel.session;
      const isTheirs = session === id && !(claim && customer === undefined);
      if (isOld && !isTheirs) parcels.end(parcel, 'unidentified');
      else if (isTheirs && customer !== undefined) release(parcel, customer);
    }
    return isLast;
  }

  function release(parcel: Parcel, owner: string): void {
    parcel.session = '';
    parcel.customer = owner;
    const { texts } = parcel;
    parcels.unload(parcel);
    parcel.bytes += parcel.count * lengthOf(owner);
    if (texts) parcels.loaded(parcel, stamped(texts, owner));
  }

  async function carryOut(next: string | undefined, before: number, claim: object): Promise<void> {
    const digest = next === undefined ? '' : await digestOf(next);
    const [known, former] = [id, customer];
    let isNew = false;
    const note = (session: string, owner = digest) => {
      isNew = next === undefined || !(owner === digest || (session === known && next === former));
      id = isNew ? uuid() : session;
      customer = next;
      return next === undefined ? id : `${id} ${digest}`;
    };
    await change(note, before, claim);
    if (id !== known || next !== former) tell(['session', id, customer, isNew, isAhead]);
  }

  async function readNote(before: number, isLost?: boolean): Promise<void> {
    if (claims.size > 0) return;
    // The note still names the former one.
    if (isLost) customer = undefined;
    let owner: string | undefined;
    const note = (session: string, digest?: string) => {
      owner = digest;
      if (session !== id) customer = undefined;
      id = session;
      if (heard?.[0] === id) customer = heard[1] ?? customer;
      return digest ? `${id} ${digest}` : id;
    };
    if (!(await change(note, before))) return;
    texts.correlationValue = customer;
    if (owner && customer === undefined) tell(['who']);
  }

  async function digestOf(text: string): Promise<string> {
    if (!keeper.survives) return text;
    const { subtle } = crypto;
    try {
      const made = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
      const key = await keeper.use(async (objects) => {
        const stored = objects && (await promisifyRequest<CryptoKey | undefined>(objects.get(SECRET)));
        if (!stored) objects?.put(made, SECRET);
        return stored ?? made;
      });
      const code = await subtle.sign('HMAC', key, encoder.encode(JSON.stringify(text)));
      return new Uint8Array(code).join();
    } catch {
      // Without a secret, such as over plain http, nobody is known again.
      return uuid();
    }
  }

  function look(isLost?: boolean): void {
    if (!hold || claims.size > 0) return;
    texts.correlationValue = undefined;
    const epoch = nextStay() + 1;
    run(() => readNote(epoch, isLost));
  }

  return {
    get session() {
      return isKnown ? id : UNKNOWN;
    },
    identify(next) {
      if (next && next === texts.correlationValue) return;
      texts.correlationValue = next;
      const before = nextStay();
      const claim = {};
      claims.add(claim);
      run(() => claims.has(claim) && carryOut(next, before, claim));
    },
    hear(theirs, owner, isNew, isLost) {
      if (!hold || (theirs === id && owner === customer) || `${heard}` === `${[theirs, owner]}`) return;
      heard = [theirs, owner];
      if (isNew) {
        // What this page said before is not told late.
        if (!consent.isGranted) claims.clear();
        parcels.endAll('unidentified', ({ session }) => session);
      }
      look(isLost);
    },
    answer() {
      if (customer !== undefined) tell(['session', id, customer, false]);
    },
    look,
    expire,
    leave() {
      if (claims.size > 0) return;
      for (const parcel of parcels.all.values()) if (parcel.session === UNKNOWN) parcel.session = UNREAD;
    },
    async settled() {
      if (consent.isGranted) await last;
    },
  };
}

/** By how much an event grows. */
function lengthOf(customer: string): number {
  return byteLength(JSON.stringify(customer)) - 2;
}

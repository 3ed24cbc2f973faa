import { promisifyRequest } from 'idb-keyval';
import type { EventTexts } from '../accept/event-text.ts';
import { identified } from '../accept/unidentified.ts';
import type { Fate } from '../base/fate.ts';
import { uuid } from '../base/uuid.ts';
import type { Keeper } from './keep/keeper.ts';
import { isParcel, isTexts, NO_SESSION, NOTE, type Parcel, SECRET, UNKNOWN } from './keep/parcel.ts';
import { byteLength, type Parcels } from './keep/parcels.ts';
import type { Message } from './keep/tabs.ts';

interface IdentityOptions {
  readonly parcels: Parcels;
  readonly keeper: Keeper;
  readonly texts: EventTexts;
  readonly end: (parcel: Parcel, fate: Fate) => void;
  readonly tell: (message: Message) => void;
  /** What was held before is too old. */
  readonly oldestAt: () => number;
  readonly isGranted: () => boolean;
  /** Resolves once consent is granted. */
  readonly granted: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  readonly onChange: () => void;
}

export interface Identity {
  /** Of events that are held now. */
  readonly session: string;
  /** Reads the current session. */
  read(): void;
  identify(customer: string | undefined): void;
  /** Another page says who is the customer. */
  hear(id: string, customer: string | undefined, isNew: boolean): void;
  /** Another page asks who is the customer. */
  answer(): void;
  /** The page is back: the customer may be another one. */
  recheck(): void;
  /** The page may go: what is held is stored for the session that it knows. */
  leave(): void;
  /** Resolves once all of that is done. */
  settled(): Promise<void>;
}

/** Holds events until a customer is identified. All pages share the session, and its customer. */
export function createIdentity(options: IdentityOptions): Identity {
  const { parcels, keeper, texts, end, tell, oldestAt, isGranted, granted, onFailed, onChange } = options;
  /** The session of which this page knows, and its customer. */
  let id: string | undefined;
  let customer: string | undefined;
  /** The note, where storage has none. */
  let kept: string | undefined;
  /** Until it was read again, the session of what is held is not known. */
  let isKnown = false;
  let heard: readonly [id: string, customer: string | undefined] | undefined;
  /** Calls of `identify()` and `reset()` that are not carried out yet. */
  let claims = 0;
  /** Those made before do not count any more. */
  let era = 0;
  let last: Promise<void> = Promise.resolve();

  function run(work: () => unknown): void {
    last = last.then(granted).then(work).catch(onFailed).then(onChange);
  }

  /** What is held from here on is apart from what was held before. */
  function nextStay(isSure: boolean): number {
    parcels.seal();
    parcels.stay += 1;
    isKnown = isSure;
    return parcels.stay;
  }

  /**
   * Changes the note, and with it the records that are held: those of its session become the customer's.
   *
   * @param next From the note, who is the customer of which session. A claim drops what is held of other sessions.
   */
  async function change(
    next: (
      text: string | undefined,
    ) => readonly [note: string, session: string, customer: string | undefined],
    before: number,
    isClaim: boolean,
  ): Promise<void> {
    let [note, session, owner]: ReturnType<typeof next> = ['', '', undefined];
    const work = async (objects?: IDBObjectStore) => {
      const stored = objects ? await promisifyRequest<unknown>(objects.get(NOTE)) : kept;
      const text = typeof stored === 'string' ? stored : undefined;
      [note, session, owner] = next(text);
      kept = note || undefined;
      if (!objects || (!isClaim && owner === undefined)) return;
      if (note !== text) objects.put(note, NOTE);
      const keys = await promisifyRequest(objects.getAllKeys());
      for (const key of keys) {
        if (!isParcel(key) || key[5] === '' || key[4] < oldestAt()) continue;
        const [page, number, count, bytes, at] = key;
        if (key[5] === session && owner !== undefined) {
          const value = await promisifyRequest<unknown>(objects.get(key));
          if (isTexts(value, count))
            objects.put(stamped(value, owner), [
              page,
              number,
              count,
              bytes + count * lengthOf(owner),
              at,
              '',
            ]);
        } else if (!isClaim) continue;
        objects.delete(key);
      }
    };
    await keeper.commitAll();
    await keeper.use(work).catch((error) => {
      onFailed(error);
      return work();
    });
    for (const parcel of [...parcels.all.values()]) {
      if (parcel.session === '' || parcel.stay > before) continue;
      if (parcel.session === UNKNOWN) parcel.session = session;
      if (parcel.at < oldestAt()) end(parcel, 'expired');
      else if (parcel.session !== session || (isClaim && owner === undefined)) end(parcel, 'unidentified');
      else if (owner !== undefined) release(parcel, owner);
    }
  }

  function release(parcel: Parcel, owner: string): void {
    parcel.session = '';
    parcel.customer = owner;
    if (parcel.texts) parcel.texts = stamped(parcel.texts, owner);
    const bytes = parcel.count * lengthOf(owner);
    parcel.bytes += bytes;
    if (parcel.texts) parcels.bytes += bytes;
  }

  async function claim(next: string | undefined, before: number): Promise<void> {
    const digest = next === undefined ? '' : await digestOf(next);
    const [known, former] = [id, customer];
    let isNew = false;
    await change(
      (text) => {
        const [session = NO_SESSION, owner = digest] = text?.split(' ') ?? [];
        const isTheirs = next !== undefined && (owner === digest || (session === known && next === former));
        const current = isTheirs ? session : uuid();
        isNew = !isTheirs;
        id = current;
        customer = next;
        return [next === undefined ? current : `${current} ${digest}`, current, next];
      },
      before,
      true,
    );
    claims -= 1;
    if (claims === 0) resolve();
    if (id !== known || next !== former) tell(['session', id ?? NO_SESSION, customer, isNew]);
  }

  async function readNote(before: number): Promise<void> {
    if (claims > 0) return;
    let hasOwner = false;
    await change(
      (text = '') => {
        const [session = NO_SESSION, owner] = text === '' ? [] : text.split(' ');
        hasOwner = owner !== undefined;
        if (session !== id) customer = undefined;
        id = session;
        if (heard?.[0] === id) customer = heard[1] ?? customer;
        return [text, session, customer];
      },
      before,
      false,
    );
    if (claims > 0) return;
    texts.correlationValue = customer;
    if (hasOwner && customer === undefined) tell(['who']);
    resolve();
  }

  /** For what was held while the session was read or changed. */
  function resolve(): void {
    isKnown = true;
    for (const parcel of parcels.all.values()) {
      if (parcel.session === UNKNOWN) parcel.session = id ?? NO_SESSION;
      if (parcel.session === id && customer !== undefined) release(parcel, customer);
    }
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
      const code = await subtle.sign('HMAC', key, new TextEncoder().encode(JSON.stringify(text)));
      return new Uint8Array(code).join();
    } catch {
      // Without a secret, such as over plain http, nobody is known again.
      return uuid();
    }
  }

  function recheck(): void {
    if (claims > 0) return;
    texts.correlationValue = undefined;
    const stay = nextStay(false);
    run(() => readNote(stay));
  }

  return {
    get session() {
      return (isKnown ? id : undefined) ?? UNKNOWN;
    },
    read() {
      run(() => readNote(parcels.stay));
    },
    identify(next) {
      if (next && next === texts.correlationValue) return;
      texts.correlationValue = next;
      claims += 1;
      const before = parcels.stay;
      nextStay(false);
      const made = era;
      run(() => made === era && claim(next, before));
    },
    hear(theirs, owner, isNew) {
      // Nothing is shared where nothing is stored.
      if (!keeper.survives) return;
      if ((theirs === id && owner === customer) || `${heard}` === `${[theirs, owner]}`) return;
      heard = [theirs, owner];
      if (isNew) {
        // What this page said before is not told late.
        if (!isGranted()) {
          era += 1;
          claims = 0;
        }
        for (const parcel of [...parcels.all.values()])
          if (parcel.session !== '') end(parcel, 'unidentified');
      }
      recheck();
    },
    answer() {
      if (customer !== undefined && id !== undefined) tell(['session', id, customer, false]);
    },
    recheck,
    leave() {
      if (claims > 0) return;
      for (const parcel of parcels.all.values())
        if (parcel.session === UNKNOWN) parcel.session = id ?? UNKNOWN;
    },
    settled: () => last,
  };
}

function stamped(texts: readonly string[], customer: string): string[] {
  return texts.map((text) => identified(text, customer));
}

/** By how much an event grows. */
function lengthOf(customer: string): number {
  return byteLength(JSON.stringify(customer)) - 2;
}

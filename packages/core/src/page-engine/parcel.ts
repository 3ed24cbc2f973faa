/** Names a record: who wrote it, its number there, what it holds, when its first event was tracked, and the session that holds it. */
export type ParcelKey = [
  page: string,
  number: number,
  count: number,
  bytes: number,
  at: number,
  session: string,
];

/** Events that are stored, sent and released together. In IndexedDB it is one record: its key, and its texts. */
export class Parcel {
  readonly page: string;
  readonly number: number;
  readonly at: number;
  count: number;
  /** Characters of its events, and the commas between them. */
  bytes: number;
  /** Not empty: held until this session has a customer. */
  session: string;
  /** The JSON texts of its events. Undefined: they are only stored. */
  texts: string[] | undefined;
  state: 'waiting' | 'out' | 'ended' = 'waiting';
  isHigh = false;
  isStored: boolean;
  isWriting = false;
  /** What was tracked between two calls of `flush()`. */
  epoch = 0;
  /** Whose events they are, where a relay wants one customer in a request. */
  customer = '';

  constructor([page, number, count, bytes, at, session]: ParcelKey, texts?: string[]) {
    this.page = page;
    this.number = number;
    this.count = count;
    this.bytes = bytes;
    this.at = at;
    this.session = session;
    this.texts = texts;
    this.isStored = !texts;
  }

  get id(): string {
    return idOf(this.key);
  }

  get key(): ParcelKey {
    return [this.page, this.number, this.count, this.bytes, this.at, this.session];
  }

  /** The keys of its record, of former ones, and of its leases. */
  get range(): IDBKeyRange {
    return IDBKeyRange.bound([this.page, this.number], [this.page, this.number + 1]);
  }
}

export function idOf([page, number]: readonly [page: string, number: number, ...others: unknown[]]): string {
  return `${page} ${number}`;
}

import { refusal } from '@sluice/protocol/toolbox';
import type { RequestRow, RequestRows } from '../admin/contract.ts';
import type { RefusalBody, RefusalCode } from '../events/refusal.ts';
import type { Database, Statement } from './database.ts';
import { containing, escapeText, unescapeText } from './events/escaped-text.ts';

/** What is stored of a request to an endpoint of the interface. */
export interface KeptRequest extends Omit<RequestRow, 'id' | 'receivedAt' | 'keyName'> {
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Id of the API key; null if the request had no valid key. */
  readonly keyId: number | null;
}

/** The outcome of a request. A batch of which some events were left out was both taken and refused. */
export type RequestOutcome = 'taken' | 'refused' | 'fault';

const OUTCOMES: Readonly<Record<RequestOutcome, string>> = {
  taken: 'requests.status < 400',
  refused: 'requests.code IS NOT NULL',
  fault: 'requests.fault IS NOT NULL',
};
const SEARCHED = `concat_ws(' ', coalesce(requests.status, 'cut'), api_keys.name, requests.method, requests.path,
  requests.user_agent, requests.code, requests.message)`;
const ROWS = `SELECT requests.*, api_keys.name AS key_name FROM requests
  LEFT JOIN api_keys ON api_keys.id = requests.key_id`;

/** The requests to the endpoints of the interface, in the order in which they were stored. */
export class RequestStore {
  readonly #database: Database;
  readonly #add: Statement;
  readonly #get: Statement;
  #newest: number;
  #oldest: number;

  constructor(database: Database) {
    this.#database = database;
    this.#add = database.prepare(
      `INSERT INTO requests (id, received_at, method, path, status, duration_us, size, events, repeated, first_event,
         key_id, user_agent, code, message, field, fault)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#get = database.prepare(`${ROWS} WHERE requests.id = ?`);
    const row = database
      .prepare('SELECT coalesce(max(id), 0) AS newest, coalesce(min(id), 1) AS oldest FROM requests')
      .get() as { newest: number; oldest: number };
    this.#newest = row.newest;
    this.#oldest = row.oldest;
  }

  /** Id of the newest request; 0 if there is none. */
  get newest(): number {
    return this.#newest;
  }

  /** The id that the next request will have. */
  get next(): number {
    return this.#newest + 1;
  }

  /** Stores a request, and returns its id: the one that `next` had. */
  add(request: KeptRequest): number {
    const { error, keyId, receivedAt, durationMs, bytes, status, events, repeated, firstEvent } = request;
    this.#add.run(
      this.next,
      receivedAt,
      escapeText(request.method),
      escapeText(request.path),
      status,
      Math.round(durationMs * 1_000),
      bytes,
      events,
      repeated,
      firstEvent,
      keyId,
      escaped(request.userAgent),
      error?.code ?? null,
      escaped(error?.message),
      escaped(error?.field),
      escaped(request.fault),
    );
    this.#newest += 1;
    return this.#newest;
  }

  /**
   * Removes the oldest requests: those with an id below `id`, but at most `atMost` of them. Returns whether more of them are
   * left.
   */
  removeBefore(id: number, atMost: number): boolean {
    const end = Math.min(id, this.#oldest + atMost);
    if (end <= this.#oldest) return false;
    this.#database.prepare('DELETE FROM requests WHERE id < ?').run(end);
    this.#oldest = end;
    return end < id;
  }

  /** Returns at most `limit` requests with an id below `before`, newest first. Throws a ConfigError for an unknown outcome. */
  list({
    before,
    limit = 100,
    outcome,
    search = '',
  }: {
    readonly before?: number | undefined;
    readonly limit?: number | undefined;
    readonly outcome?: RequestOutcome | undefined;
    /** Words. Each must be in the status, key name, method, path, user agent or reason for the refusal. */
    readonly search?: string | undefined;
  } = {}): RequestRows {
    if (outcome !== undefined && !Object.hasOwn(OUTCOMES, outcome)) {
      throw refusal('outcome', `one of ${Object.keys(OUTCOMES).join(', ')}`, outcome);
    }
    const words = search.split(/\s+/).filter((word) => word !== '');
    const where = [
      'requests.id < ?',
      ...(outcome === undefined ? [] : [OUTCOMES[outcome]]),
      ...words.map(() => `${SEARCHED} LIKE ? ESCAPE '!'`),
    ].join(' AND ');
    const rows = this.#database
      .prepare(`${ROWS} WHERE ${where} ORDER BY requests.id DESC LIMIT ?`)
      .all(
        before ?? Number.MAX_SAFE_INTEGER,
        ...words.map((word) => containing(escapeText(word))),
        limit + 1,
      );
    return {
      rows: rows.slice(0, limit).map((row) => toRequestRow(row as Row)),
      hasMore: rows.length > limit,
    };
  }

  /** The request with this id; undefined if it is not stored, or no longer. */
  get(id: number): RequestRow | undefined {
    const row = this.#get.get(id) as Row | undefined;
    return row && toRequestRow(row);
  }
}

interface Row {
  readonly id: number;
  readonly received_at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly duration_us: number;
  readonly size: number | null;
  readonly events: number | null;
  readonly repeated: number | null;
  readonly first_event: number | null;
  readonly key_name: string | null;
  readonly user_agent: string | null;
  readonly code: RefusalCode | null;
  readonly message: string | null;
  readonly field: string | null;
  readonly fault: string | null;
}

function toRequestRow(row: Row): RequestRow {
  return {
    id: row.id,
    receivedAt: new Date(row.received_at).toISOString(),
    method: unescapeText(row.method),
    path: unescapeText(row.path),
    status: row.status,
    durationMs: row.duration_us / 1_000,
    bytes: row.size,
    events: row.events,
    repeated: row.repeated,
    firstEvent: row.first_event,
    keyName: row.key_name,
    userAgent: unescaped(row.user_agent),
    error: toError(row),
    fault: unescaped(row.fault),
  };
}

function toError({ code, message, field }: Row): RefusalBody['error'] | null {
  if (code === null) return null;
  const error = { code, message: unescapeText(message ?? '') };
  return field === null ? error : { ...error, field: unescapeText(field) };
}

function escaped(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : escapeText(text);
}

function unescaped(text: string | null): string | null {
  return text === null ? null : unescapeText(text);
}

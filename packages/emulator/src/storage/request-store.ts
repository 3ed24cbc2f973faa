import { refusal } from '@sluice/protocol/toolbox';
import type { RequestRow, RequestRows } from '../admin/contract.ts';
import type { RefusalCode } from '../events/refusal.ts';
import type { Database } from './database.ts';
import { containing, escapeText, isoTime, unescapeText } from './text.ts';

/** What is stored of a request to an endpoint of the interface. */
export interface KeptRequest extends Omit<RequestRow, 'id' | 'receivedAt' | 'keyName'> {
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Id of the API key; null if the request had no valid key. */
  readonly keyId: number | null;
}

/** The outcome of a request. A batch of which some events were left out was both taken and refused. */
export type RequestOutcome = 'taken' | 'refused' | 'fault';

/** Which requests to list. */
export interface RequestQuery {
  readonly before?: number | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
  readonly outcome?: RequestOutcome | undefined;
  /** Words. Each must be in the status, key name, method, path, user agent or reason for the refusal. */
  readonly search?: string | undefined;
}

const OUTCOMES: Readonly<Record<RequestOutcome, string>> = {
  taken: 'requests.status < 400',
  refused: 'requests.code IS NOT NULL',
  fault: 'requests.fault IS NOT NULL',
};
const SEARCHED = `concat_ws(' ', coalesce(requests.status, 'cut'), api_keys.name, requests.method, requests.path,
  requests.user_agent, requests.code, requests.message)`;
const COLUMNS = `id, received_at, method, path, status, duration_us, size, events, repeated, first_event,
  key_id, user_agent, code, message, field, fault`;
const ROWS = `SELECT requests.id, received_at AS receivedAt, method, path, status, duration_us / 1000.0 AS durationMs,
  size AS bytes, events, repeated, first_event AS firstEvent, api_keys.name AS keyName, user_agent AS userAgent, fault,
  code, message, field FROM requests LEFT JOIN api_keys ON api_keys.id = requests.key_id`;

/** The requests to the endpoints of the interface, in the order in which they were stored. */
export class RequestStore {
  readonly #database: Database;
  #newest = 0;
  #oldest = 1;

  constructor(database: Database) {
    this.#database = database;
    const ends = 'SELECT coalesce(max(id), 0) AS newest, coalesce(min(id), 1) AS oldest FROM requests';
    for (const { newest, oldest } of database.all<{ newest: number; oldest: number }>(ends)) {
      this.#newest = newest;
      this.#oldest = oldest;
    }
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
    const { status, bytes, events, repeated, firstEvent, keyId, error } = request;
    this.#database.run(
      `INSERT INTO requests (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[this.next, request.receivedAt, escapeText(request.method), escapeText(request.path), status],
      ...[Math.round(request.durationMs * 1_000), bytes, events, repeated, firstEvent, keyId],
      ...[escaped(request.userAgent), error?.code ?? null],
      ...[escaped(error?.message), escaped(error?.field), escaped(request.fault)],
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
    this.#database.run('DELETE FROM requests WHERE id < ?', end);
    this.#oldest = end;
    return end < id;
  }

  /** The matching requests with an id below `before`, newest first. Throws a ConfigError for an unknown outcome. */
  list({ before, limit = 100, outcome, search = '' }: RequestQuery = {}): RequestRows {
    if (outcome !== undefined && !Object.hasOwn(OUTCOMES, outcome)) {
      throw refusal('outcome', `one of ${Object.keys(OUTCOMES).join(', ')}`, outcome);
    }
    const words = search.split(/\s+/).filter((word) => word !== '');
    const where = [
      'requests.id < ?',
      ...(outcome === undefined ? [] : [OUTCOMES[outcome]]),
      ...words.map(() => `${SEARCHED} LIKE ? ESCAPE '!'`),
    ].join(' AND ');
    const rows = this.#database.all<Row>(
      `${ROWS} WHERE ${where} ORDER BY requests.id DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      ...words.map((word) => containing(escapeText(word))),
      limit + 1,
    );
    return { rows: rows.slice(0, limit).map(toRequestRow), hasMore: rows.length > limit };
  }

  /** The request with this id; undefined if it is not stored, or no longer. */
  get(id: number): RequestRow | undefined {
    return this.#database.all<Row>(`${ROWS} WHERE requests.id = ?`, id).map(toRequestRow)[0];
  }
}

interface Row extends Omit<RequestRow, 'receivedAt' | 'error'> {
  readonly receivedAt: number;
  readonly code: RefusalCode | null;
  readonly message: string | null;
  readonly field: string | null;
}

function toRequestRow({ code, message, field, ...row }: Row): RequestRow {
  const error = code && { code, message: unescapeText(message ?? '') };
  return {
    ...row,
    receivedAt: isoTime(row.receivedAt),
    method: unescapeText(row.method),
    path: unescapeText(row.path),
    userAgent: row.userAgent === null ? null : unescapeText(row.userAgent),
    error: error && field !== null ? { ...error, field: unescapeText(field) } : error,
    fault: row.fault === null ? null : unescapeText(row.fault),
  };
}

function escaped(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : escapeText(text);
}

import { oneOf, readRules } from '@sluice/protocol/toolbox';
import type { RequestContent, RequestRow, RequestRows } from '../admin/contract.ts';
import type { Sendable } from '../events/sent-request.ts';
import { containing, type Database } from './database.ts';

/** What is stored of a request to an endpoint of the interface. */
export interface KeptRequest extends Omit<RequestRow, 'id' | 'keyName'> {
  /** Id of the API key; null if the request had no valid key. */
  readonly keyId: number | null;
}

/** A request whose content is kept. */
export interface RecentRequest {
  /** As pages show it: secrets are masked, and a gzipped body is unpacked. */
  content(): Promise<RequestContent>;
  /** The same request, to send it again; undefined if a part of its body was not kept. */
  readonly repeatable: Sendable | undefined;
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
  taken: "coalesce(row ->> '$.isTaken', status < 400)", // older rows have no isTaken
  refused: 'code IS NOT NULL',
  fault: 'fault IS NOT NULL',
};
const RULES = { outcome: oneOf(Object.keys(OUTCOMES)) };
const ROWS = `SELECT requests.id, api_keys.name AS keyName, row
  FROM requests LEFT JOIN api_keys ON api_keys.id = requests.key_id`;

const MOST_CONTENTS = 200;

/**
 * The requests to the endpoints of the interface, in the order in which they were stored. The content of the last 200 refused ones
 * and of the last 200 others is kept in memory.
 */
export class RequestStore {
  readonly #database: Database;
  readonly #refused = new Map<number, RecentRequest>();
  readonly #others = new Map<number, RecentRequest>();
  /** Id of the newest request; 0 if there is none. */
  newest = 0;
  #oldest = 1;

  constructor(database: Database) {
    this.#database = database;
    const ends = 'SELECT coalesce(max(id), 0) AS newest, coalesce(min(id), 1) AS oldest FROM requests';
    for (const { newest, oldest } of database.all<{ newest: number; oldest: number }>(ends)) {
      this.newest = newest;
      this.#oldest = oldest;
    }
  }

  /** The id that the next request will have. */
  get next(): number {
    return this.newest + 1;
  }

  /** Stores a request, and returns its id: the one that `next` had. */
  add({ keyId, ...request }: KeptRequest): number {
    const insert = 'INSERT INTO requests (id, key_id, row) VALUES (?, ?, ?)';
    this.#database.run(insert, this.next, keyId, JSON.stringify(request));
    this.newest += 1;
    return this.newest;
  }

  /**
   * Removes the oldest requests: those with an id below `id`, but at most `atMost` of them. Returns whether more of them are
   * left.
   */
  removeBefore(id: number, atMost: number): boolean {
    const end = Math.min(id, this.#oldest + atMost);
    if (end <= this.#oldest) return false;
    this.#database.run('DELETE FROM requests WHERE id < ?', end);
    for (const kept of [this.#refused, this.#others])
      for (const each of kept.keys()) if (each < end) kept.delete(each);
    this.#oldest = end;
    return end < id;
  }

  /** Keeps the content of a request. */
  keep(id: number, request: RecentRequest, isRefused: boolean): void {
    const kept = isRefused ? this.#refused : this.#others;
    kept.set(id, request);
    const [oldest] = kept.keys();
    if (kept.size > MOST_CONTENTS && oldest !== undefined) kept.delete(oldest);
  }

  /** A request whose content is still kept. */
  recent(id: number): RecentRequest | undefined {
    return this.#refused.get(id) ?? this.#others.get(id);
  }

  /** The matching requests with an id below `before`, newest first. Throws a ConfigError for an unknown outcome. */
  list({ before, limit = 100, outcome, search = '' }: RequestQuery = {}): RequestRows {
    readRules(RULES, '', { outcome });
    const words = search.split(/\s+/).filter((word) => word !== '');
    const where = [
      'requests.id < ?',
      ...(outcome === undefined ? [] : [OUTCOMES[outcome]]),
      ...words.map(() => "concat_ws(' ', searched, api_keys.name) LIKE ? ESCAPE '!'"),
    ].join(' AND ');
    const rows = this.#database.all<Row>(
      `${ROWS} WHERE ${where} ORDER BY requests.id DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      ...words.map((word) => containing(word)),
      limit + 1,
    );
    const next = rows.length > limit ? (rows[limit - 1]?.id ?? null) : null;
    return { rows: rows.slice(0, limit).map(toRequestRow), next, newest: this.next - 1 };
  }

  /** The request with this id; undefined if it is not stored, or no longer. */
  get(id: number): RequestRow | undefined {
    return this.#database.all<Row>(`${ROWS} WHERE requests.id = ?`, id).map(toRequestRow)[0];
  }
}

interface Row extends Pick<RequestRow, 'id' | 'keyName'> {
  readonly row: string;
}

function toRequestRow({ row, ...rest }: Row): RequestRow {
  const stored = JSON.parse(row);
  // Older rows have no isTaken.
  return { isTaken: Boolean(stored.status) && stored.status < 400, ...rest, ...stored };
}

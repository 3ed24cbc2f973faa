import { randomBytes } from 'node:crypto';
import type { KeyRow } from '../admin/contract.ts';
import { Refusal } from '../events/refusal.ts';
import { type Database, isoTime } from './database.ts';

const PREFIX = 'Api-Key ';
const KEY_BYTES = 24;
const USE_NOTED_MS = 1_000;
const ROWS = `SELECT id, key, name, created_at AS createdAt, last_used_at AS lastUsedAt, revoked_at AS revokedAt
  FROM api_keys`;

/** The API keys of the account. */
export class ApiKeyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns the id of the key in an `Authorization` header (section 5), and records its use, at most once a second. Throws
   * {@link Refusal} if there is no valid key.
   */
  authenticate(header: string | undefined): number {
    const form = 'Authorization must be "Api-Key <API_KEY>"';
    const headers = { 'www-authenticate': 'Api-Key' };
    if (header === undefined)
      throw new Refusal('missing_api_key', `${form}; the header is missing.`, { headers });
    if (!header.startsWith(PREFIX) || header.length === PREFIX.length) {
      // The answer does not repeat the header, because it may contain a key.
      throw new Refusal('malformed_authorization', `${form}; it has another form.`, { headers });
    }
    const find = 'SELECT id FROM api_keys WHERE key = ? AND revoked_at IS NULL';
    const id = this.#database.get<{ id: number }>(find, header.slice(PREFIX.length))?.id;
    if (id === undefined) {
      throw new Refusal('unknown_api_key', 'The API key is not one of this emulator, or it was revoked.');
    }
    const now = Date.now();
    const used =
      "UPDATE api_keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, '') NOT BETWEEN ? AND ?";
    this.#database.run(used, isoTime(now), id, isoTime(now - USE_NOTED_MS), isoTime(now));
    return id;
  }

  /** The oldest valid key. */
  oldest(): string | undefined {
    const oldest = 'SELECT key FROM api_keys WHERE revoked_at IS NULL ORDER BY id LIMIT 1';
    return this.#database.get<{ key: string }>(oldest)?.key;
  }

  /** Creates a new key. */
  create(name: string): KeyRow {
    this.put(`emulator_${randomBytes(KEY_BYTES).toString('base64url')}`, name);
    const [row] = this.list();
    if (row === undefined) throw new Error('the new key was not stored');
    return row;
  }

  /** Makes `key` valid, even if it was revoked. */
  put(key: string, name: string): void {
    this.#database.run(
      `INSERT INTO api_keys (key, name, created_at) VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET revoked_at = NULL`,
      ...[key, name, isoTime(Date.now())],
    );
  }

  /** Makes `key` invalid. Returns whether it was valid. */
  revoke(key: string): boolean {
    const revoke = 'UPDATE api_keys SET revoked_at = ? WHERE key = ? AND revoked_at IS NULL';
    return this.#database.run(revoke, isoTime(Date.now()), key) > 0;
  }

  /** All keys, newest first, including revoked ones. */
  list(): KeyRow[] {
    return this.#database.all<KeyRow>(`${ROWS} ORDER BY id DESC`);
  }

  /** The key with this id. */
  get(id: number): KeyRow | undefined {
    return this.#database.get<KeyRow>(`${ROWS} WHERE id = ?`, id);
  }

  /** Renames the key with this id. */
  rename(id: number, name: string): void {
    this.#database.run('UPDATE api_keys SET name = ? WHERE id = ?', name, id);
  }
}

import { randomBytes } from 'node:crypto';
import type { KeyRow } from '../admin/contract.ts';
import type { Database, Statement } from './database.ts';

const KEY_BYTES = 24;
const USE_NOTED_MS = 1_000;

/** The API keys of the account. */
export class ApiKeyStore {
  readonly #find: Statement;
  readonly #oldest: Statement;
  readonly #put: Statement;
  readonly #revoke: Statement;
  readonly #all: Statement;
  readonly #get: Statement;
  readonly #rename: Statement;
  readonly #noteUse: Statement;
  readonly #notedAt = new Map<number, number>();

  constructor(database: Database) {
    this.#find = database.prepare('SELECT id FROM api_keys WHERE key = ? AND revoked_at IS NULL');
    this.#oldest = database.prepare('SELECT key FROM api_keys WHERE revoked_at IS NULL ORDER BY id LIMIT 1');
    this.#put = database.prepare(
      `INSERT INTO api_keys (key, name, created_at) VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET revoked_at = NULL`,
    );
    this.#revoke = database.prepare(
      'UPDATE api_keys SET revoked_at = ? WHERE key = ? AND revoked_at IS NULL',
    );
    this.#all = database.prepare('SELECT * FROM api_keys ORDER BY id DESC');
    this.#get = database.prepare('SELECT * FROM api_keys WHERE id = ?');
    this.#rename = database.prepare('UPDATE api_keys SET name = ? WHERE id = ?');
    this.#noteUse = database.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?');
  }

  /** Returns the id of a valid key, and records its use, at most once a second. Undefined for any other key. */
  use(key: string): number | undefined {
    const row = this.#find.get(key) as { id: number } | undefined;
    if (row === undefined) return undefined;
    const now = Date.now();
    const notedAt = this.#notedAt.get(row.id);
    if (notedAt === undefined || Math.abs(now - notedAt) >= USE_NOTED_MS) {
      this.#notedAt.set(row.id, now);
      this.#noteUse.run(now, row.id);
    }
    return row.id;
  }

  /** The oldest valid key. */
  oldest(): string | undefined {
    const row = this.#oldest.get() as { key: string } | undefined;
    return row?.key;
  }

  /** Creates a new key. */
  create(name: string): string {
    const key = `emulator_${randomBytes(KEY_BYTES).toString('base64url')}`;
    this.put(key, name);
    return key;
  }

  /** Makes `key` valid, even if it was revoked. */
  put(key: string, name: string): void {
    this.#put.run(key, name, Date.now());
  }

  /** Makes `key` invalid. Returns whether it was valid. */
  revoke(key: string): boolean {
    return this.#revoke.run(Date.now(), key).changes > 0;
  }

  /** All keys, newest first, including revoked ones. */
  list(): KeyRow[] {
    return (this.#all.all() as Row[]).map(toKeyRow);
  }

  /** The key with this id. */
  get(id: number): KeyRow | undefined {
    const row = this.#get.get(id) as Row | undefined;
    return row && toKeyRow(row);
  }

  /** Renames the key with this id. */
  rename(id: number, name: string): void {
    this.#rename.run(name, id);
  }
}

interface Row {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

function toKeyRow({ id, key, name, created_at, last_used_at, revoked_at }: Row): KeyRow {
  const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    id,
    key,
    name,
    createdAt: new Date(created_at).toISOString(),
    lastUsedAt: time(last_used_at),
    revokedAt: time(revoked_at),
  };
}

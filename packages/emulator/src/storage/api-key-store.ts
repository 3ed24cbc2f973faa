import { randomBytes } from 'node:crypto';
import type { Database, Statement } from './database.ts';

const KEY_BYTES = 24;

/** The API keys of the account. */
export class ApiKeyStore {
  readonly #find: Statement;
  readonly #oldest: Statement;
  readonly #put: Statement;
  readonly #revoke: Statement;

  constructor(database: Database) {
    this.#find = database.prepare('SELECT 1 FROM api_keys WHERE key = ? AND revoked_at IS NULL');
    this.#oldest = database.prepare('SELECT key FROM api_keys WHERE revoked_at IS NULL ORDER BY id LIMIT 1');
    this.#put = database.prepare(
      `INSERT INTO api_keys (key, name, created_at) VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET revoked_at = NULL`,
    );
    this.#revoke = database.prepare(
      'UPDATE api_keys SET revoked_at = ? WHERE key = ? AND revoked_at IS NULL',
    );
  }

  isValid(key: string): boolean {
    return this.#find.get(key) !== undefined;
  }

  /** The valid key that was made first. */
  oldest(): string | undefined {
    const row = this.#oldest.get() as { key: string } | undefined;
    return row?.key;
  }

  /** Makes a new key. */
  create(name: string): string {
    const key = `emulator_${randomBytes(KEY_BYTES).toString('base64url')}`;
    this.put(key, name);
    return key;
  }

  /** Makes `key` valid, also one that was revoked. */
  put(key: string, name: string): void {
    this.#put.run(key, name, Date.now());
  }

  /** Makes `key` invalid, and says whether it was valid. */
  revoke(key: string): boolean {
    return this.#revoke.run(Date.now(), key).changes > 0;
  }
}

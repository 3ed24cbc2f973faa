import { createTracker } from '@sluice/core';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { type PostgresJournalOptions, postgresJournal } from '../../src/index.ts';

const pool = { connectionString: 'postgres://nobody:secret@127.0.0.1:1/none' };

/** The message of the error that wrong options give. */
function refused(options: object): string {
  try {
    postgresJournal(options as PostgresJournalOptions);
  } catch (error) {
    return String(error);
  }
  return 'accepted';
}

describe('postgresJournal', () => {
  it('refuses wrong options, and says what is allowed', () => {
    expect(refused({})).toContain('pool must be');
    expect(refused({ pool, schema: 'no "name"' })).toContain('schema must be');
    expect(refused({ pool, send: 1 })).toContain('send must be true or false, got number 1');
    expect(refused({ pool, outbox: true, send: false })).toContain('outbox must be false if send is false');
    expect(refused({ pool, timeoutMs: 0 })).toContain('timeoutMs must be');
    expect(refused({ pool, sends: true })).toContain('sends is not an option');
    expect(refused({ pool: { ...pool, binary: true } })).toContain('pool must not have the option binary');
    expect(refused({ pool: new pg.Pool({ ...pool, binary: true } as object) })).toContain(
      'the option binary',
    );
  });

  it('shows no password', () => {
    expect(refused({ pool: pool.connectionString })).not.toContain('secret');
    expect(refused({ pool, schema: pool.connectionString })).not.toContain('secret');
  });

  it('needs no server to be made and closed', async () => {
    await postgresJournal({ pool }).close();
  });

  it('leaves a pool open that is not its own', async () => {
    const own = new pg.Pool(pool);
    await postgresJournal({ pool: own }).close();
    expect(own.ended).toBe(false);
    expect(own.listenerCount('error')).toBe(0);
    await own.end();
  });

  it('rejects what it cannot store, without a password in the error', async () => {
    const journal = postgresJournal({ pool });
    const bytes = new TextEncoder().encode('1');
    const error = await journal.append({ bytes, ends: Uint32Array.of(1) }).catch(String);
    expect(error).toContain('cannot make a slot in PostgreSQL');
    expect(error).not.toContain('secret');
    await journal.close();
  });

  it('is what a tracker shows as its journal', async () => {
    const tracker = createTracker({
      ...{ baseUrl: 'http://127.0.0.1:1', apiKey: 'key', correlationKey: 'email', logger: false },
      journal: postgresJournal({ pool }),
    });
    expect(tracker.stats().journal).toBe('postgres');
    await tracker.close({ timeoutMs: 1 });
  });
});

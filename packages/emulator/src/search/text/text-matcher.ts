import Libsql from 'libsql';
import type { Database, Statement } from '../../storage/database.ts';
import { TOKENIZER } from '../search-index.ts';
import { hasPhrases } from './words.ts';

/** A text, and the id that it belongs to. */
export interface Candidate {
  readonly id: number;
  readonly text: string;
}

/** Finds texts by words exactly as the index does, without the index. */
export class TextMatcher {
  readonly #database: Database = new Libsql(':memory:');
  readonly #put: Statement;
  readonly #find: Statement;

  constructor() {
    this.#database.exec(
      `CREATE VIRTUAL TABLE candidates USING fts5(text, content='', columnsize=0, tokenize='${TOKENIZER}')`,
    );
    this.#put = this.#database.prepare('INSERT INTO candidates (rowid, text) VALUES (?, ?)');
    this.#find = this.#database.prepare('SELECT rowid FROM candidates WHERE candidates MATCH ?').raw(true);
  }

  /** Returns the ids of the candidates that have all `phrases`; `match` is the same as an SQLite query. */
  find(candidates: readonly Candidate[], phrases: readonly string[], match: string): Set<number> {
    const found = new Set<number>();
    const others: Candidate[] = [];
    const isPlainQuery = phrases.every(isPlain);
    for (const candidate of candidates) {
      if (!isPlainQuery || !isPlain(candidate.text)) others.push(candidate);
      else if (hasPhrases(candidate.text, phrases)) found.add(candidate.id);
    }
    if (others.length > 0) for (const id of this.#findBySqlite(others, match)) found.add(id);
    return found;
  }

  /** Searches with SQLite, because only SQLite knows which characters of all scripts it counts as letters. */
  #findBySqlite(candidates: readonly Candidate[], match: string): number[] {
    this.#database.exec('BEGIN');
    try {
      for (const { id, text } of candidates) this.#put.run(id, text);
      return (this.#find.all(match) as [id: number][]).map(([id]) => id);
    } finally {
      this.#database.exec('ROLLBACK');
    }
  }
}

/** Whether a text is ASCII. For ASCII, this code and SQLite find the same words. */
function isPlain(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

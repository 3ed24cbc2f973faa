import Libsql from 'libsql';
import type { Database, Statement } from '../storage/database.ts';
import { TOKENIZER } from './search-index.ts';
import { hasPhrases } from './words.ts';

/** A text and what it belongs to. */
export interface Candidate {
  readonly id: number;
  readonly text: string;
}

/** Finds texts by words as the index does, without being in it. */
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

  /** The ids of those that have all `phrases`; `match` says the same in SQLite's words. */
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

  /** Only SQLite knows what it takes for a letter in all the scripts there are. */
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

/** Whether a text is ASCII: of that, words are the same everywhere. */
function isPlain(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

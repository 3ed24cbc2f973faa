/** A short text next to a journal, for all who share the journal. Its methods reject if storage fails. */
export interface Note {
  /** Resolves to undefined if there is no text yet. */
  read(): Promise<string | undefined>;
  /** Replaces the text with the result of `next`. Resolves once the next process finds the new text. */
  change(next: (text: string | undefined) => string): Promise<void>;
  /** A digest of a text, made with a secret key of this note. If there can be no key, the digest is random: equal to no other. */
  digest(text: string): Promise<string>;
}

/** A note that lives as long as its tracker. */
export class MemoryNote implements Note {
  #text: string | undefined;

  async read(): Promise<string | undefined> {
    return this.#text;
  }

  async change(next: (text: string | undefined) => string): Promise<void> {
    this.#text = next(this.#text);
  }

  /** The text itself: it is not stored. */
  async digest(text: string): Promise<string> {
    return text;
  }
}

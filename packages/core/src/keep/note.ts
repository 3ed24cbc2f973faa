/** A short text that all share who share a journal, kept beside it. Its methods reject with a StorageError where storage fails. */
export interface Note {
  /** Resolves to undefined where there is none yet. */
  read(): Promise<string | undefined>;
  /** Puts what `next` makes of the text in its place; it may be asked twice. Resolves once the next life finds that. */
  change(next: (text: string | undefined) => string): Promise<void>;
  /** Gives back what it takes to keep it. */
  close?(): void;
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
}

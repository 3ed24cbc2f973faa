import { type FileRecord, readJson } from './file-record.ts';

const MOST_MIB = 16;
const MOST_CHARACTERS = MOST_MIB * 1024 * 1024;

/** Collects the text of one record from the chunks that it comes in. Keeps only the start of one that is too long. */
export class RecordText {
  #text = '';
  #isTooLong = false;

  add(part: string): void {
    if (this.#isTooLong) return;
    this.#text += part;
    this.#isTooLong = this.#text.length > MOST_CHARACTERS;
  }

  /** The record, and the start of the next one. Undefined if there was only white space. */
  take(number: number): FileRecord | undefined {
    const [text, isTooLong] = [this.#text, this.#isTooLong];
    this.#text = '';
    this.#isTooLong = false;
    if (isTooLong) return { number, problem: `it is longer than ${MOST_MIB} MiB`, text };
    return text.trim() === '' ? undefined : readJson(text, number);
  }
}

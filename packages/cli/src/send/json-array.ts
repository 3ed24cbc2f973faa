import type { FileRecord } from './file-record.ts';
import { RecordText } from './record-text.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** The elements of a JSON array, one at a time: the whole may be larger than the memory. */
export async function* arrayRecords(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const splitter = new ArraySplitter();
  for await (const chunk of chunks) {
    yield* splitter.push(chunk);
    if (splitter.isNone) break;
  }
  const { number, problem } = splitter;
  if (problem !== undefined) yield { number, problem, text: '' };
}

/** Cuts the text of an array into its elements, by brackets and quotes. What is in an element is not checked. */
class ArraySplitter {
  readonly #element = new RecordText();
  #number = 1;
  /** How many brackets are open, that of the array too. */
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isEnded = false;
  #isFollowed = false;

  /** Whether something else comes before the array, or in its place. */
  isNone = false;

  /** That of the next element. */
  get number(): number {
    return this.#number;
  }

  /** What is wrong with the array, once all of it was pushed. */
  get problem(): string | undefined {
    if (this.#isEnded) return this.#isFollowed ? 'something follows the end of the array' : undefined;
    return this.#depth === 0
      ? 'it is no array: it must begin with ['
      : 'the array does not end: the file is cut off';
  }

  /** The elements that end in this chunk. */
  push(chunk: string): FileRecord[] {
    const found: FileRecord[] = [];
    this.isNone = this.#depth === 0 && !this.#isEnded && /^\s*[^\s[]/.test(chunk);
    if (this.isNone) return found;
    let start = 0;
    const take = (end: number) => {
      this.#element.add(chunk.slice(start, end));
      start = end + 1;
      const record = this.#element.take(this.#number);
      if (record === undefined) return;
      found.push(record);
      this.#number += 1;
    };
    for (let at = 0; at < chunk.length && !this.#isEnded; at += 1) {
      const code = chunk.charCodeAt(at);
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) this.#isInText = false;
      } else if (code === QUOTE) this.#isInText = true;
      else if (OPENING.has(code)) {
        this.#depth += 1;
        if (this.#depth === 1) start = at + 1;
      } else if (CLOSING.has(code)) {
        this.#depth -= 1;
        this.#isEnded = this.#depth === 0;
        if (this.#isEnded) take(at);
      } else if (code === COMMA && this.#depth === 1) take(at);
    }
    const rest = chunk.slice(start);
    if (this.#isEnded) this.#isFollowed ||= rest.trim() !== '';
    else this.#element.add(rest);
    return found;
  }
}

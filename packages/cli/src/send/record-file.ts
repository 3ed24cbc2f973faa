import { createReadStream, type ReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { tried } from '@sluice/protocol/toolbox';
import { UsageError } from '../exit-codes.ts';
import { csvRecords } from './csv-records.ts';
import type { FileRecord } from './file-record.ts';
import { arrayRecords } from './json-array.ts';
import { lineRecords } from './line-records.ts';

type Format = (typeof FORMATS)[number];

const FORMATS = ['ndjson', 'json', 'csv'] as const;

/** Throws a UsageError if it is none. */
export function readFormat(given: string | undefined): Format | undefined {
  const format = FORMATS.find((one) => one === given);
  if (given === undefined || format !== undefined) return format;
  throw new UsageError(`--format must be ${FORMATS.join(', ')}, got "${given}"`);
}

/** The records of a file, or of standard input (`-`). */
export class RecordFile implements AsyncIterable<FileRecord> {
  readonly path: string;
  readonly #format: Format | undefined;
  readonly #bytes: number;
  #stream: ReadStream | undefined;
  #isStopped = false;
  /** Whether all that was read is UTF-8. */
  #isUtf8 = true;

  /** @param bytes The size of the file. */
  constructor(path: string, format: Format | undefined, bytes: number) {
    this.path = path;
    this.#format = format ?? (/\.[ct]sv$/i.test(path) ? 'csv' : undefined);
    this.#bytes = bytes;
  }

  /** Whether records are rows of a table, by what is known before it is read. */
  get isCsv(): boolean {
    return this.#format === 'csv';
  }

  /** Which part of it was read: from 0 to 1. */
  get share(): number {
    return this.#stream === undefined ? 1 : this.#stream.bytesRead / Math.max(1, this.#bytes);
  }

  /** Ends the records, also while they wait for more input. */
  stop(): void {
    this.#isStopped = true;
    (this.path === '-' ? process.stdin : this.#stream)?.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FileRecord> {
    try {
      for await (const record of this.#read()) yield this.#isUtf8 ? record : checked(record);
    } catch (error) {
      if (!this.#isStopped) throw error;
    }
  }

  async *#read(): AsyncGenerator<FileRecord> {
    if (this.#isStopped) return;
    if (this.path !== '-') this.#stream = createReadStream(this.path);
    const stream: Readable = this.#stream ?? process.stdin;
    const chunks = this.#decode(stream);
    // The format shows in the first characters.
    let head = '';
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      head += next.value;
      if (head.trim() !== '') break;
    }
    const text = rejoined(head, chunks);
    const format = this.#format ?? (head.trimStart().startsWith('[') ? 'json' : 'ndjson');
    if (format === 'csv') yield* csvRecords(text, /\.tsv$/i.test(this.path) ? '\t' : undefined);
    else if (format === 'json') yield* arrayRecords(text);
    else yield* lineRecords(text);
  }

  /** The text of bytes, without a byte order mark. */
  async *#decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    const strict = new TextDecoder('utf-8', { fatal: true });
    const check = (chunk?: Uint8Array) => {
      this.#isUtf8 &&= tried(() => strict.decode(chunk, { stream: chunk !== undefined })) !== undefined;
    };
    for await (const chunk of bytes) {
      check(chunk);
      yield decoder.decode(chunk, { stream: true });
    }
    check();
    yield decoder.decode();
  }
}

async function* rejoined(head: string, chunks: AsyncIterator<string>): AsyncGenerator<string> {
  yield head;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}

/** What is no UTF-8 was read as U+FFFD. */
function checked(record: FileRecord): FileRecord {
  const { number, problem, value, text = JSON.stringify(value) } = record;
  if (problem !== undefined || !text.includes('\uFFFD')) return record;
  return { number, problem: 'it is not UTF-8: convert the file, such as with iconv', text };
}

import { write as writeCallback } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { Window } from './window.ts';

type Write = (
  fd: number,
  bytes: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesWritten: number }>;

/** That of a `FileHandle` costs several times as much. */
const writeOnce: Write = promisify(writeCallback);

const MAGIC = Buffer.from('SLRWIN01');
/** The magic, and when the table was begun. */
const HEADER_BYTES = 16;
/** Before each group: its length in bytes, and a checksum of its keys. */
const GROUP_BYTES = 8;

interface Found {
  readonly slot: number;
  readonly since: number;
  readonly keys: Uint32Array;
  /** Where the intact groups end. */
  readonly end: number;
}

/**
 * The keys of a window on disk: one file for each of its two tables. A group is appended with each commit. It is not synced: a key
 * that is lost costs a duplicate.
 */
export class WindowFile {
  readonly #path: string;
  readonly #window: Window;
  readonly #write: Write;
  #file: FileHandle | undefined;
  /** Which of the two files is written, and for which table of the window. */
  #slot = 1;
  #generation = -1;
  #end = HEADER_BYTES;

  constructor(directory: string, name: string, window: Window, write: Write = writeOnce) {
    this.#path = join(directory, name);
    this.#window = window;
    this.#write = write;
  }

  /** Reads what previous processes have left. Does nothing if it is open. */
  async open(): Promise<void> {
    if (this.#file) return;
    const found = (await Promise.all([this.#read(0), this.#read(1)])).filter((each) => each !== undefined);
    for (const { slot, since, keys, end } of found.sort((one, other) => one.since - other.since)) {
      this.#window.restore(keys, since);
      this.#slot = slot;
      this.#end = end;
      this.#generation = this.#window.generation;
    }
    if (found.length > 0) this.#file = await open(this.#pathOf(this.#slot), 'r+');
  }

  /** Appends keys. Only one call at a time. A part of a group that failed is written over by the next one. */
  async append(words: readonly number[]): Promise<void> {
    if (words.length === 0) return;
    if (this.#generation !== this.#window.generation) await this.#begin();
    const keys = Buffer.from(Uint32Array.from(words).buffer);
    const head = Buffer.alloc(GROUP_BYTES);
    head.writeUInt32LE(keys.length, 0);
    head.writeUInt32LE(crc32(keys), 4);
    const bytes = Buffer.concat([head, keys]);
    if (this.#file) {
      const { bytesWritten } = await this.#write(this.#file.fd, bytes, 0, bytes.length, this.#end);
      // A full disk takes a part. What is behind a group that is not whole would never be read.
      if (bytesWritten < bytes.length) throw new Error('the disk is full');
    }
    this.#end += bytes.length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  /** The tables have changed places: the keys of the older one are forgotten. */
  async #begin(): Promise<void> {
    await this.close();
    const generation = this.#window.generation;
    const slot = 1 - this.#slot;
    const header = Buffer.alloc(HEADER_BYTES);
    MAGIC.copy(header);
    header.writeDoubleLE(this.#window.since, MAGIC.length);
    this.#file = await open(this.#pathOf(slot), 'w', 0o600);
    await this.#file.write(header, 0, header.length, 0);
    this.#slot = slot;
    this.#end = HEADER_BYTES;
    this.#generation = generation;
  }

  /** Reads up to the first group that is not intact. */
  async #read(slot: number): Promise<Found | undefined> {
    const bytes = await readFile(this.#pathOf(slot)).catch(() => Buffer.alloc(0));
    if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    const since = bytes.readDoubleLE(MAGIC.length);
    if (!Number.isFinite(since)) return undefined;
    const groups: Buffer[] = [];
    let end = HEADER_BYTES;
    while (end + GROUP_BYTES <= bytes.length) {
      const from = end + GROUP_BYTES;
      const keys = bytes.subarray(from, from + bytes.readUInt32LE(end));
      if (keys.length !== bytes.readUInt32LE(end) || crc32(keys) !== bytes.readUInt32LE(end + 4)) break;
      groups.push(keys);
      end = from + keys.length;
    }
    const all = Buffer.concat(groups);
    const keys = new Uint32Array(Uint8Array.from(all).buffer);
    return { slot, since, keys, end };
  }

  #pathOf(slot: number): string {
    return `${this.#path}-${slot}.window`;
  }
}

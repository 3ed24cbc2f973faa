import { constants } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { COMMA } from '../../event-bytes.ts';
import { type Limit, NO_EVENTS, type Range, type Reading } from '../../journal.ts';
import { acknowledgementRecord, readAcknowledgements } from './acknowledgements.ts';
import { errorCode, type FileSystem } from './file-system.ts';
import { FRAME_HEADER_BYTES, FrameReader } from './frame.ts';
import { IndexSet } from './index-set.ts';

/*
 * A segment is two files (FORMAT.md): `<name>.segment` with a header and frames, `<name>.acks` with what is released.
 */
const HEADER = Buffer.from([0xff, 0xfe, ...Buffer.from('SLUICE'), 1, 0, 0, 0, 0, 0, 0, 0]);
const VERSION_AT = 8;
const HEADER_CRC_AT = 12;
HEADER.writeUInt32LE(crc32(HEADER.subarray(0, HEADER_CRC_AT)), HEADER_CRC_AT);
/** Missing on Windows. */
const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0;
const READ_FLAGS = constants.O_RDONLY | NO_FOLLOW;
const ACKNOWLEDGE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW;

export const FILE_MODE = 0o600;

export const SEGMENT_HEADER: Buffer = HEADER;
/** How a segment's file is created: it must not exist, and no link is followed. */
export const CREATE_FLAGS: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
export const SEGMENT_SUFFIX = '.segment';
export const ACKNOWLEDGEMENTS_SUFFIX = '.acks';
const DAMAGED_SUFFIX = '.damaged';

/** What opening an existing segment found. */
export interface Survey {
  /** False for a version that this code does not know; nothing else was looked at. */
  readonly readable: boolean;
  /** Bytes that are not intact frames. */
  readonly damaged: number;
  /** Runs of intact events that are not released, in order. */
  readonly waiting: readonly { readonly from: number; readonly to: number }[];
}

/** One file of the journal, with the record of what was released of it. Read and released here; appended to by its writer. */
export class Segment {
  /** What ranges call it. */
  readonly number: number;
  readonly directory: string;
  readonly #fs: FileSystem;
  readonly #name: string;
  #released = new IndexSet();
  #acknowledgements: Promise<unknown> = Promise.resolve();
  #isDamaged = false;
  /** Where to go on reading: the frame of event `index`, or an earlier one, is at `offset`. */
  #resume = { index: 0, offset: HEADER.length };
  /** Bytes of intact data in the file, and the number of events in it. The writer keeps them up to date. */
  size: number = HEADER.length;
  count = 0;
  /** Whether nothing will be appended any more. */
  sealed = false;

  constructor(fs: FileSystem, number: number, directory: string, name: string) {
    this.#fs = fs;
    this.number = number;
    this.directory = directory;
    this.#name = name;
  }

  /** The path of the file with the events. */
  get path(): string {
    return this.#pathOf(SEGMENT_SUFFIX);
  }

  /** Whether all its events are released and none can come. */
  get isDone(): boolean {
    return this.sealed && this.#released.covers(this.count);
  }

  /** Reads a segment that another life wrote, from end to end, and seals it. */
  async survey(): Promise<Survey> {
    this.sealed = true;
    const bytes = await this.#readFile(this.path);
    this.size = bytes.length;
    // An unsynced file can survive a power cut with nothing in it, or with a part of its header.
    const isEmpty = bytes.every((byte) => byte === 0) || HEADER.indexOf(bytes) === 0;
    if (isEmpty) return { readable: true, damaged: 0, waiting: [] };
    if (isOtherVersion(bytes)) return { readable: false, damaged: 0, waiting: [] };
    const hasHeader = bytes.indexOf(HEADER) === 0;
    this.#released = readAcknowledgements(await this.#readFile(this.#pathOf(ACKNOWLEDGEMENTS_SUFFIX)));
    const waiting: { from: number; to: number }[] = [];
    const add = (from: number, to: number) =>
      this.#released.forEachGap(from, to, (a, b) => waiting.push({ from: a, to: b }));
    const reader = new FrameReader(hasHeader ? bytes.subarray(HEADER.length) : bytes, true);
    let from = 0;
    let to = 0;
    while (reader.next()) {
      if (reader.index !== to) {
        add(from, to);
        // What is missing here was damaged and cannot be released: it counts as such.
        this.#released.add(to, reader.index);
        from = reader.index;
      }
      to = reader.index + 1;
    }
    add(from, to);
    this.count = to;
    this.#isDamaged = reader.damaged > 0;
    return { readable: true, damaged: reader.damaged, waiting };
  }

  /** Reads intact, consecutive events from the start of a range. */
  async read(range: Range, limit: Limit): Promise<Reading> {
    const offset = this.#resume.index <= range.from ? this.#resume.offset : HEADER.length;
    let length = limit.maxBytes + FRAME_HEADER_BYTES * limit.maxEvents;
    const file = await this.#fs.promises.open(this.path, READ_FLAGS).catch((error: unknown) => {
      // Deleted by somebody else: that does not heal, and the events of others wait behind it.
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return { events: NO_EVENTS, range };
    try {
      for (let at = offset; ; ) {
        const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.size - at)));
        const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
        const isEnd = at + bytesRead >= this.size || bytesRead < bytes.length;
        const found = collect(new FrameReader(bytes.subarray(0, bytesRead), isEnd), bytes, range, limit);
        if (found.reading !== undefined) {
          if (found.reading.events.ends.length === 0) this.#isDamaged = true;
          this.#resume = { index: found.reading.range.to, offset: at + found.consumed };
          return found.reading;
        }
        if (isEnd) {
          this.#isDamaged = true;
          return { events: NO_EVENTS, range };
        }
        if (found.consumed > 0) at += found.consumed;
        else length *= 2;
      }
    } finally {
      await file.close();
    }
  }

  /** Notes that events are released. */
  async acknowledge(from: number, to: number): Promise<void> {
    this.#released.add(from, to);
    if (this.isDone) return;
    const append = async () => {
      const file = await this.#fs.promises.open(
        this.#pathOf(ACKNOWLEDGEMENTS_SUFFIX),
        ACKNOWLEDGE_FLAGS,
        FILE_MODE,
      );
      try {
        await file.write(acknowledgementRecord(from, to));
      } finally {
        await file.close();
      }
    };
    // One after the other, and a failed one does not keep the next from being tried.
    const appended = this.#acknowledgements.then(append, append);
    this.#acknowledgements = appended;
    await appended;
  }

  /** Deletes its files; where some of it was damaged, what is left is kept aside for a person to look at. */
  async delete(): Promise<void> {
    await this.#acknowledgements.catch(() => undefined);
    if (this.#isDamaged) await this.#fs.promises.rename(this.path, this.#pathOf(DAMAGED_SUFFIX));
    else await this.#fs.promises.rm(this.path, { force: true });
    await this.#fs.promises.rm(this.#pathOf(ACKNOWLEDGEMENTS_SUFFIX), { force: true });
  }

  async #readFile(path: string): Promise<Buffer> {
    try {
      return await this.#fs.promises.readFile(path, { flag: READ_FLAGS });
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
  }

  #pathOf(suffix: string): string {
    return join(this.directory, this.#name + suffix);
  }
}

/** Whether a sound header says that this code cannot read what follows. */
function isOtherVersion(bytes: Buffer): boolean {
  return (
    bytes.length >= HEADER.length &&
    bytes.subarray(0, VERSION_AT).equals(HEADER.subarray(0, VERSION_AT)) &&
    bytes[VERSION_AT] !== HEADER[VERSION_AT] &&
    crc32(bytes.subarray(0, HEADER_CRC_AT)) === bytes.readUInt32LE(HEADER_CRC_AT)
  );
}

/** Copies the wanted events together, up to the first gap. Without a reading, the bytes hold none of them whole. */
function collect(
  reader: FrameReader,
  bytes: Buffer,
  range: Range,
  limit: Limit,
): { reading: Reading | undefined; consumed: number } {
  const joined = Buffer.allocUnsafe(bytes.length);
  const ends: number[] = [];
  let length = 0;
  let consumed = 0;
  while (ends.length < limit.maxEvents && reader.next()) {
    if (reader.index < range.from) {
      consumed = reader.offset;
      continue;
    }
    const expected = range.from + ends.length;
    if (reader.index !== expected || expected >= range.to) {
      if (ends.length > 0) break;
      const gap = { ...range, to: Math.min(reader.index, range.to) };
      return { reading: { events: NO_EVENTS, range: gap }, consumed };
    }
    const size = reader.end - reader.start + (ends.length > 0 ? 1 : 0);
    if (ends.length > 0 && length + size > limit.maxBytes) break;
    if (ends.length > 0) joined[length++] = COMMA;
    length += bytes.copy(joined, length, reader.start, reader.end);
    ends.push(length);
    consumed = reader.offset;
  }
  if (ends.length === 0) return { reading: undefined, consumed };
  return {
    reading: {
      events: { bytes: joined.subarray(0, length), ends: Uint32Array.from(ends) },
      range: { ...range, to: range.from + ends.length },
    },
    consumed,
  };
}

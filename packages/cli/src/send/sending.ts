import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '@sluice/core/file-journal';

/** How far a file was sent. */
export interface Position {
  /** The number of the last record whose event is durable, or which was rejected. */
  readonly number: number;
  /** How many records that were. */
  readonly records: number;
  readonly rejected: number;
  /** Bytes of the file of rejected records: what is behind them is written again. */
  readonly rejectedBytes: number;
  /** Whether the file was read to its end. */
  readonly isComplete: boolean;
}

export const START: Position = { number: 0, records: 0, rejected: 0, rejectedBytes: 0, isComplete: false };

/**
 * What identifies the sending of a file: its content, and how and where to it is sent. A changed file is another one. Also the
 * namespace of the uuids of its events.
 */
export async function identify(path: string, how: object): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(how));
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex').slice(0, 32);
}

/** The uuid of a record, the same whenever the file is sent again: version 5 of RFC 9562, with the sending as its namespace. */
export function uuidOf(identity: string, number: number): string {
  const bytes = createHash('sha1').update(Buffer.from(identity, 'hex')).update(String(number)).digest();
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x50, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Keeps the position of a sending beside its journal. */
export class PositionFile {
  readonly #directory: string;
  readonly #path: string;

  constructor(journalDirectory: string, identity: string) {
    this.#directory = join(journalDirectory, 'sends');
    this.#path = join(this.#directory, `${identity}.json`);
  }

  /** Throws an Error that says what to do if it cannot be read. */
  async read(): Promise<Position> {
    const text = await readFile(this.#path, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return '{}';
      throw this.#unusable(error);
    });
    try {
      return { ...START, ...JSON.parse(text) };
    } catch (cause) {
      throw new Error(
        `cannot read from ${this.#path} how far the file was sent: delete it or give --again, and all of the file is sent`,
        { cause },
      );
    }
  }

  /** Replaces it as a whole: it survives a power cut. */
  async write(position: Position): Promise<void> {
    await makeDirectory(this.#directory);
    const next = `${this.#path}.next`;
    const file = await open(next, 'w', 0o600);
    await file.writeFile(JSON.stringify(position));
    await file.sync();
    await file.close();
    await rename(next, this.#path);
  }

  /** Forgets it: the file is sent from its start again. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true }).catch((error) => {
      throw this.#unusable(error);
    });
  }

  #unusable(cause: NodeJS.ErrnoException): Error {
    return new Error(
      `${this.#path} says how far the file was sent, and cannot be used (${cause.code}): run it as the user that owns the journal`,
      { cause },
    );
  }
}

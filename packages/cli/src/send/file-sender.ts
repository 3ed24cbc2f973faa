import { setTimeout } from 'node:timers/promises';
import type { Tracker } from '@sluice/core';
import { UsageError } from '../exit-codes.ts';
import type { EventMapping } from './event-mapping.ts';
import type { FileRecord } from './file-record.ts';
import type { Rejects } from './rejects.ts';
import { type Position, type PositionFile, uuidOf } from './sending.ts';

/** After so many records the position is stored. */
const CHUNK = 1_000;
/** So much may wait before reading goes on. */
const MOST_PENDING = 20_000;
const MOST_BYTES = 128 * 1024 * 1024;
const LOOK_MS = 20;

interface FileSenderOptions {
  readonly tracker: Tracker;
  readonly mapping: EventMapping;
  readonly rejects: Rejects;
  /** Undefined for standard input, which cannot be read again. */
  readonly resume: { readonly identity: string; readonly file: PositionFile } | undefined;
  /** The uuids of events that a previous process left in the journal. */
  readonly known: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Tracks the records of a file, no faster than they can be delivered, and stores how far it is. */
export class FileSender {
  readonly #options: FileSenderOptions;
  #position: Position;
  #problem: string | undefined;

  constructor(options: FileSenderOptions, position: Position) {
    this.#options = options;
    this.#position = position;
    options.tracker.on('invalid', ({ error }) => {
      this.#problem = error.message;
    });
  }

  /** How far it is. */
  get position(): Position {
    return this.#position;
  }

  /** Reads to the end, or until the signal aborts. */
  async run(records: AsyncIterable<FileRecord>): Promise<void> {
    const { signal } = this.#options;
    const start = this.#position.number;
    let last = this.#position;
    let unstored = 0;
    for await (const record of records) {
      if (record.number <= start && start > 0) continue;
      if (signal.aborted) break;
      const isRejected = await this.#take(record);
      last = {
        ...last,
        number: record.number,
        records: last.records + 1,
        rejected: last.rejected + (isRejected ? 1 : 0),
      };
      unstored += 1;
      if (unstored < CHUNK) continue;
      unstored = 0;
      await this.#store(last);
      await this.#wait();
    }
    await this.#store({ ...last, isComplete: !signal.aborted });
  }

  /** Tracks one record. Resolves to whether it was rejected. */
  async #take(record: FileRecord): Promise<boolean> {
    const { known, mapping, rejects, resume, tracker } = this.#options;
    this.#problem = record.problem;
    if (this.#problem === undefined) {
      try {
        const { name, payload, options } = mapping.eventOf(record.value);
        const uuid = options.uuid ?? (resume && uuidOf(resume.identity, record.number));
        if (uuid !== undefined && known.has(uuid)) return false;
        tracker.track(name, payload, { ...options, uuid });
      } catch (error) {
        if (error instanceof UsageError) throw error;
        this.#problem = error instanceof Error ? error.message : String(error);
      }
    }
    if (this.#problem === undefined) return false;
    await rejects.add(record, this.#problem);
    return true;
  }

  /** The events first: a position is never ahead of them. */
  async #store(position: Position): Promise<void> {
    const { rejects, resume, tracker } = this.#options;
    await tracker.durable();
    this.#position = { ...position, rejectedBytes: rejects.bytes };
    await resume?.file.write(this.#position);
  }

  async #wait(): Promise<void> {
    const { signal, tracker } = this.#options;
    for (;;) {
      const { pending, memoryBytes, journalBytes } = tracker.stats();
      const isFull = pending > MOST_PENDING || (pending > 0 && memoryBytes + journalBytes > MOST_BYTES);
      if (!isFull || signal.aborted) return;
      await setTimeout(LOOK_MS);
    }
  }
}

import { setTimeout } from 'node:timers/promises';
import type { Tracker } from '@sluice/core';
import { isStuck } from '../delivery/deliver.ts';
import { UsageError } from '../exit-codes.ts';
import type { EventMapping } from './event-mapping.ts';
import type { FileRecord } from './file-record.ts';
import type { Rejects } from './rejects.ts';
import { type Position, type PositionFile, uuidOf } from './sending.ts';

/** After so many records, or so many characters of them, the position is stored: before files that were delivered whole are gone. */
const CHUNK = 1_000;
const CHUNK_CHARACTERS = 1024 * 1024;
/** After so many records at most it is looked whether there is room. */
const MOST_UNSEEN = 50;
/** The largest event, unless an option says otherwise. */
const EVENT_BYTES = 256 * 1024;
/** So much may wait before reading goes on. */
const MOST_PENDING = 20_000;
const MOST_BYTES = 128 * 1024 * 1024;
const LOOK_MS = 20;
/** A service that has accepted events may do so again: only a pause that is longer ends the reading. */
const LASTING_MS = 120_000;

interface FileSenderOptions {
  readonly tracker: Tracker;
  readonly mapping: EventMapping;
  readonly rejects: Rejects;
  /** Undefined for standard input, which cannot be read again. */
  readonly resume: { readonly identity: string; readonly file: PositionFile } | undefined;
  /** The uuids of events that a previous process left in the journal. */
  readonly known: ReadonlySet<string>;
  /** The most that the journal may take, in bytes. */
  readonly journalBytes: number | undefined;
  readonly signal: AbortSignal;
}

/** Tracks the records of a file, no faster than they can be delivered, and stores how far it is. */
export class FileSender {
  readonly #options: FileSenderOptions;
  #position: Position;
  #problem: string | undefined;
  /** Whether there was no room for an event: the stored position is before that one. */
  #isFull = false;

  constructor(options: FileSenderOptions, position: Position) {
    this.#options = options;
    this.#position = position;
    options.tracker.on('invalid', ({ error }) => {
      this.#problem = error.message;
    });
    options.tracker.on('dropped', ({ reason }) => {
      this.#isFull ||= reason === 'journal-full' || reason === 'buffer-full';
    });
  }

  /** How far it is. */
  get position(): Position {
    return this.#position;
  }

  /** A half of the journal: dead letters and files that are partly delivered take room, too. */
  get #mostBytes(): number {
    return Math.min(MOST_BYTES, (this.#options.journalBytes ?? Number.POSITIVE_INFINITY) / 2);
  }

  /** Reads to the end, or until the signal aborts, or there is no room for an event, or only a person can make some. */
  async run(records: AsyncIterable<FileRecord>): Promise<void> {
    const { resume, signal } = this.#options;
    const lookAfter = Math.min(MOST_UNSEEN, Math.ceil(this.#mostBytes / (2 * EVENT_BYTES)));
    const start = this.#position.number;
    let last = this.#position;
    let unseen = 0;
    let unstored = 0;
    let characters = 0;
    const mostCharacters = Math.min(CHUNK_CHARACTERS, this.#mostBytes / 2);
    let isComplete = true;
    for await (const record of records) {
      if (record.number <= start && start > 0) continue;
      if (signal.aborted || (this.#isFull && resume)) break;
      const isRejected = await this.#take(record);
      last = {
        ...last,
        number: record.number,
        records: last.records + 1,
        rejected: last.rejected + (isRejected ? 1 : 0),
      };
      unstored += 1;
      characters += record.text?.length ?? 0;
      unseen += 1;
      if (unseen % lookAfter === 0 && !(await this.#hasRoom())) {
        isComplete = false;
        break;
      }
      if (unstored < CHUNK && characters < mostCharacters) continue;
      [unstored, characters] = [0, 0];
      await this.#store(last);
    }
    await this.#store({ ...last, isComplete: isComplete && !signal.aborted });
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
    const isComplete = position.isComplete && !(this.#isFull && resume);
    this.#position = { ...position, isComplete, rejectedBytes: rejects.bytes };
    if (this.#isFull) return;
    await resume?.file.write(this.#position);
  }

  /** Waits for room. False if none comes before somebody does something, and the rest can be read later. */
  async #hasRoom(): Promise<boolean> {
    const { resume, signal, tracker } = this.#options;
    for (;;) {
      const { delivered, journalBytes, memoryBytes, pause, pending } = tracker.stats();
      const isFull = pending > MOST_PENDING || (pending > 0 && memoryBytes + journalBytes > this.#mostBytes);
      if (!isFull) return true;
      const isLasting = delivered === 0 || Date.now() - (pause?.since ?? 0) > LASTING_MS;
      if (signal.aborted || (resume && isLasting && isStuck(tracker))) return false;
      await setTimeout(LOOK_MS);
    }
  }
}

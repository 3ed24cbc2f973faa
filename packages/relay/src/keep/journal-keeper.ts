import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTracker, type FinishOptions, type Tracker, type TrackOptions } from '@sluice/core';
import { Refusal } from '../exchange.ts';
import type { Settings } from '../options.ts';
import { Commits, type Group } from './commits.ts';
import { Ids } from './ids.ts';
import type { Keeper, PageEvent, Refused, WindowStats, Work } from './keeper.ts';
import { Window } from './window.ts';
import { WindowFile } from './window-file.ts';

const MINUTE_MS = 60_000;
const EVENTS_MS = 10 * MINUTE_MS;
const PARCELS_MS = 7 * 24 * 60 * MINUTE_MS;
/** The part of the memory that knows parcels. */
const PARCELS_SHARE = 0.25;
const KEY_BYTES = 32;

/** Keeps events in the file journal of a tracker, which delivers them. */
export class JournalKeeper implements Keeper {
  readonly tracker: Tracker;
  readonly #events: Window;
  readonly #parcels: Window;
  readonly #files: readonly [events: WindowFile, parcels: WindowFile];
  readonly #commits = new Commits((group) => this.#commit(group));
  readonly #opened: Promise<Ids>;
  #isOpen = false;
  #repeated = 0;
  /** What became of the event that is tracked; undefined between events. */
  #tracked: { invalid?: string; isDropped?: boolean } | undefined;

  constructor({ apiKey, baseUrl, clock, correlationKey, directory, limits, logger, tracker }: Settings) {
    const now = clock.now();
    const parcelBytes = PARCELS_SHARE * limits.windowBytes;
    this.#events = new Window({ keepMs: EVENTS_MS, bytes: limits.windowBytes - parcelBytes }, now);
    this.#parcels = new Window({ keepMs: PARCELS_MS, bytes: parcelBytes }, now);
    this.#files = [
      new WindowFile(directory, 'events', this.#events),
      new WindowFile(directory, 'parcels', this.#parcels),
    ];
    this.tracker = createTracker({
      ...tracker,
      ...{ apiKey, baseUrl, correlationKey, logger },
      journalDirectory: join(directory, 'journal'),
      fsync: 'always',
      maxEventBytes: limits.maxEventBytes,
      // The oldest events are durable: the relay has answered for them.
      storage: { ...tracker.storage, whenFull: 'drop-newest' },
    });
    this.tracker.on('invalid', ({ error }) => {
      if (this.#tracked) this.#tracked.invalid = error.message;
    });
    this.tracker.on('dropped', ({ reason }) => {
      if (this.#tracked) this.#tracked.isDropped = true;
      else if (reason === 'journal-full') this.#commits.lose();
    });
    this.#opened = this.#open(directory);
    this.#opened.catch(() => undefined);
  }

  get isReady(): boolean {
    return this.#isOpen && this.tracker.stats().journal !== 'memory';
  }

  get repeated(): number {
    return this.#repeated;
  }

  window(now: number): WindowStats {
    return { eventsMs: this.#events.coversMs(now), parcelsMs: this.#parcels.coversMs(now) };
  }

  async keep({ scope, events, parcel }: Work, now: number): Promise<readonly Refused[]> {
    const ids = await this.#opened.catch(() => {
      throw new Refusal('not_durable');
    });
    const parcelKey =
      parcel === undefined ? undefined : { words: ids.of(`parcel ${scope}`, [parcel]), at: 0 };
    if (parcelKey && this.#parcels.has(parcelKey)) {
      this.#repeated += events.length;
      await durable(this.#commits.all());
      return [];
    }
    const group = this.#commits.join();
    const refused = this.#track(
      events,
      ids.of(
        `event ${scope}`,
        events.map(({ uuid }) => uuid),
      ),
      group,
      now,
    );
    if (parcelKey) {
      this.#parcels.add(parcelKey, now);
      group.parcels.push(...parcelKey.words);
    }
    // With those before it: some of these events may have come with them.
    await durable(this.#commits.all());
    return refused;
  }

  async close(options?: FinishOptions): Promise<void> {
    await this.#opened.catch(() => undefined);
    await this.#commits.all().catch(() => undefined);
    await this.tracker.close(options);
    await Promise.all(this.#files.map((file) => file.close()));
  }

  /** Tracks the events that are not known. */
  #track(events: readonly PageEvent[], words: Uint32Array, group: Group, now: number): Refused[] {
    const refused: Refused[] = [];
    for (const [place, event] of events.entries()) {
      const key = { words, at: 3 * place };
      if (this.#events.has(key)) {
        this.#repeated += 1;
        continue;
      }
      const { invalid, isDropped } = this.#trackOne(event);
      if (isDropped) throw new Refusal('busy');
      if (invalid !== undefined) {
        refused.push([event.index, invalid]);
        continue;
      }
      this.#events.add(key, now);
      group.events.push(words[key.at] ?? 0, words[key.at + 1] ?? 0, words[key.at + 2] ?? 0);
    }
    return refused;
  }

  #trackOne({ event, payload, correlationValue, source, timestamp, uuid }: PageEvent) {
    const tracked: { invalid?: string; isDropped?: boolean } = {};
    this.#tracked = tracked;
    // The casts are safe: the tracker checks what it gets.
    const options = { correlationValue, source, timestamp, uuid } as TrackOptions;
    this.tracker.track(event as string, payload as object, options);
    this.#tracked = undefined;
    return tracked;
  }

  async #commit(group: Group): Promise<void> {
    try {
      await this.tracker.durable();
      if (group.isLost) throw new Refusal('not_durable');
    } catch (error) {
      this.#forget(group.events, this.#events);
      this.#forget(group.parcels, this.#parcels);
      throw error;
    }
    const [events, parcels] = this.#files;
    // An id that is not on the disk costs a duplicate, after a crash.
    await Promise.allSettled([events.append(group.events), parcels.append(group.parcels)]);
  }

  #forget(group: readonly number[], window: Window): void {
    const words = Uint32Array.from(group);
    for (let at = 0; at < words.length; at += 3) window.delete({ words, at });
  }

  /** The secret of the windows lies beside them, so that it outlives a change of the other secrets. */
  async #open(directory: string): Promise<Ids> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, 'window.key');
    await writeFile(path, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 }).catch(() => undefined);
    const secret = await readFile(path);
    if (secret.length !== KEY_BYTES) throw new Error(`${path} must have ${KEY_BYTES} bytes`);
    await Promise.all(this.#files.map((file) => file.open()));
    this.#isOpen = true;
    return new Ids(secret);
  }
}

async function durable(result: Promise<void>): Promise<void> {
  try {
    await result;
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('not_durable');
  }
}

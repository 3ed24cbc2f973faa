import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FinishOptions, Tracker } from '@sluice/core';
import { makeDirectory } from '@sluice/core/file-journal';
import { createTextTracker, type TextTracker } from '@sluice/core/text-tracker';
import { inTime, type Timer } from '@sluice/protocol/toolbox';
import { Refusal } from '../exchange.ts';
import type { Settings } from '../settings.ts';
import { Commits, type Group } from './commits.ts';
import type { Key } from './id-table.ts';
import { Ids } from './ids.ts';
import type { Keeper, PageEvent, WindowStats, Work } from './keeper.ts';
import { Window } from './window.ts';
import { WindowFile } from './window-file.ts';

/** As long as there is room, the id of an event is known so long too: a page may be gone before it sees the answer to any request. */
const KEEP_MS = 7 * 24 * 60 * 60_000;
/** The part of the memory that knows parcels. */
const PARCELS_SHARE = 0.25;
const KEY_BYTES = 32;
/** While the keys of what is not durable are so many words, nothing new is taken: 100,000 events. */
const MOST_LEFT = 300_000;
/** A directory that cannot be used is tried again after so long. */
const AGAIN_MS = 1_000;
/** A relay that could not keep events counts as not ready for so long. For ever, a load balancer would never let it try again. */
const UNREADY_MS = 10_000;
/** `close()` gives up a disk that hangs after so long: once before it closes the tracker, once after that. */
const DISK_MS = 5_000;

/** Keeps events in the journal of a tracker, which delivers them. */
export class JournalKeeper implements Keeper {
  readonly tracker: Tracker;
  readonly #events: Window;
  readonly #parcels: Window;
  readonly #files: readonly [events: WindowFile, parcels: WindowFile];
  readonly #commits = new Commits((group) => this.#commit(group));
  readonly #settings: Settings;
  #opened: Promise<Ids>;
  #again: Timer | undefined;
  #isUnusable = false;
  #isClosed = false;
  /** Set once the directory is open. */
  #ids: Ids | undefined;
  #repeated = 0;
  readonly #accept: TextTracker['accept'];
  #isDropped = false;
  /** When events were refused that it could not keep, if none were kept since. */
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** When the journal was full: small events may find room since. */
  #fullAt = Number.NEGATIVE_INFINITY;
  /** Keys of what was accepted while the journal failed. The tracker has it in memory, and may send it from there. */
  #left: { events: number[]; parcels: number[] } = { events: [], parcels: [] };

  constructor(settings: Settings) {
    const { apiKey, baseUrl, clock, correlationKey, directory, limits, logger, tracker } = settings;
    this.#settings = settings;
    const now = clock.now();
    const parcelBytes = PARCELS_SHARE * limits.windowBytes;
    this.#events = new Window({ keepMs: KEEP_MS, bytes: limits.windowBytes - parcelBytes }, now);
    this.#parcels = new Window({ keepMs: KEEP_MS, bytes: parcelBytes }, now);
    this.#files = [
      new WindowFile(directory, 'events', this.#events),
      new WindowFile(directory, 'parcels', this.#parcels),
    ];
    const { tracker: deliverer, accept } = createTextTracker({
      ...tracker,
      apiKey,
      baseUrl,
      correlationKey,
      logger,
      ...(!tracker.journal && { journalDirectory: join(directory, 'journal'), fsync: 'always' as const }),
      maxEventBytes: limits.maxEventBytes,
      // The oldest events are durable: the relay has answered for them.
      storage: { ...tracker.storage, whenFull: 'drop-newest' },
    });
    this.tracker = deliverer;
    this.#accept = accept;
    deliverer.on('dropped', ({ reason }) => {
      if (reason === 'journal-full') {
        this.#fullAt = clock.now();
        this.#commits.lose();
      }
      // Only that is about the new event.
      if (reason !== 'buffer-full') this.#forgetLeft();
      this.#isDropped = true;
    });
    this.#opened = this.#open();
  }

  get isReady(): boolean {
    // The clock may have been set back.
    const now = this.#settings.clock.now();
    const isRefusing = [this.#refusedAt, this.#fullAt].some((at) => Math.abs(now - at) < UNREADY_MS);
    return this.#ids !== undefined && this.tracker.stats().journal !== 'memory' && !isRefusing;
  }

  get repeated(): number {
    return this.#repeated;
  }

  window(now: number): WindowStats {
    return { eventsMs: this.#events.coversMs(now), parcelsMs: this.#parcels.coversMs(now) };
  }

  async keep(work: Work, now: number): Promise<void> {
    try {
      await this.#take(work, this.#ids ?? (await this.#opened), now);
      this.#refusedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      this.#refusedAt = this.#settings.clock.now();
      if (error instanceof Refusal) throw error;
      this.#settings.log(error, 'Sluice relay: events are not durable, and pages keep them');
      throw new Refusal('not_durable');
    }
  }

  async close(options?: FinishOptions): Promise<void> {
    this.#isClosed = true;
    this.#again?.cancel();
    const committed = this.#opened.then(() => this.#commits.all()).catch(() => undefined);
    // A file of a window that cannot be closed costs duplicates at most.
    const waited = (work: Promise<unknown>) =>
      inTime(this.#settings.clock, work, DISK_MS, Error, true).catch(() => undefined);
    await waited(committed);
    await this.tracker.close(options);
    await waited(committed.then(() => Promise.all(this.#files.map((file) => file.close()))));
  }

  /** Takes what is not known. Returns what settles once all of it, and what was known, is durable or not. */
  #take({ customer, events, parcel }: Work, ids: Ids, now: number): Promise<void> {
    const parcelKey = parcel === undefined ? undefined : ids.ofParcel(customer, parcel);
    if (parcelKey && this.#parcels.has(parcelKey)) {
      this.#repeated += events.length;
      // What is left of groups that failed becomes durable with the next one.
      if (this.#leftWords > 0) this.#commits.join();
      return this.#commits.all();
    }
    const group = this.#commits.join();
    // An event whose key is forgotten would be sent again. The group tries the journal all the same.
    if (this.#leftWords >= MOST_LEFT) throw new Refusal('not_durable');
    const known = this.#takeNew(events, ids.ofEvents(customer, events), group, now);
    if (parcelKey) this.#add(parcelKey, this.#parcels, group.parcels, now);
    this.#repeated += known;
    // What is known may have come with the group before.
    return known > 0 ? this.#commits.all() : group.done;
  }

  /** Returns how many events were known. */
  #takeNew(events: readonly PageEvent[], words: Uint32Array, group: Group, now: number): number {
    let known = 0;
    let at = 0;
    for (const { customer, text } of events) {
      const key = { words, at };
      at += 3;
      if (this.#events.has(key)) {
        known += 1;
        continue;
      }
      this.#isDropped = false;
      this.#accept(text, customer);
      if (this.#isDropped) throw new Refusal('busy');
      this.#add(key, this.#events, group.events, now);
    }
    return known;
  }

  #add(key: Key, window: Window, group: number[], now: number): void {
    window.add(key, now);
    const { words, at } = key;
    group.push(words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0);
  }

  async #commit(group: Group): Promise<void> {
    try {
      await this.tracker.durable();
      if (group.isLost) throw new Refusal('not_durable');
    } catch (error) {
      // The tracker sends it all the same: what comes again must not be taken again.
      this.#left = this.#withLeft(group);
      if (group.isLost) this.#forgetLeft();
      throw error;
    }
    const durable = this.#withLeft(group);
    this.#left = { events: [], parcels: [] };
    const [events, parcels] = this.#files;
    // An id that is not on the disk costs a duplicate, after a crash.
    await Promise.allSettled([events.append(durable.events), parcels.append(durable.parcels)]);
  }

  get #leftWords(): number {
    return this.#left.events.length + this.#left.parcels.length;
  }

  #withLeft({ events, parcels }: Group): { events: number[]; parcels: number[] } {
    return { events: this.#left.events.concat(events), parcels: this.#left.parcels.concat(parcels) };
  }

  #forgetLeft(): void {
    this.#forget(this.#left.events, this.#events);
    this.#forget(this.#left.parcels, this.#parcels);
    this.#left = { events: [], parcels: [] };
  }

  #forget(group: readonly number[], window: Window): void {
    const words = Uint32Array.from(group);
    for (let at = 0; at < words.length; at += 3) window.delete({ words, at });
  }

  /** Opens the directory. If it cannot be used now, tries again and again: its disk may be full, or not mounted yet. */
  #open(): Promise<Ids> {
    const { clock, directory, log } = this.#settings;
    const opened = this.#openOnce(directory);
    opened.catch((error) => {
      if (!this.#isUnusable)
        log(error, 'Sluice relay: its directory cannot be used, and pages get 503 until it can');
      this.#isUnusable = true;
      if (this.#isClosed) return;
      this.#again = clock.setTimeout(() => {
        this.#opened = this.#open();
      }, AGAIN_MS);
    });
    return opened;
  }

  /** The secret of the windows lies beside them, so that it outlives a change of the other secrets. */
  async #openOnce(directory: string): Promise<Ids> {
    await makeDirectory(directory);
    const secret = await secretIn(join(directory, 'window.key'));
    // One after the other: none is still being opened when this is tried again.
    for (const file of this.#files) await file.open();
    this.#ids = new Ids(secret);
    return this.#ids;
  }
}

/** A file that is not whole is replaced: a full disk or a power cut has left it. What the windows know is forgotten then. */
async function secretIn(path: string): Promise<Buffer> {
  const found = await readFile(path).catch((error) => {
    // What cannot be read now may be whole.
    if (error.code !== 'ENOENT') throw error;
    return Buffer.alloc(0);
  });
  if (found.length === KEY_BYTES) return found;
  const secret = randomBytes(KEY_BYTES);
  const next = `${path}.next`;
  await writeFile(next, secret, { mode: 0o600, flush: true });
  await rename(next, path);
  return secret;
}

import { basename, join } from 'node:path';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import type { Span } from '../../../base/range.ts';
import { Turns } from '../../../base/turns.ts';
import { errorCode } from '../disk/file-system.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX } from '../format/segment-header.ts';
import type { Site } from '../site.ts';
import { filesIn } from './merge.ts';
import type { Segment } from './segment.ts';
import type { Segments } from './segments.ts';

/** A segment of a previous process, and its events that are not released. */
type Found = {
  readonly segment: Segment;
  readonly waiting: readonly Span[];
  /** Its age, but none before a segment that the same process wrote before it: the clock may have been set back. */
  readonly order: number;
};

/** At most this many ranges are reported in one turn of the event loop. */
const MOST_TOLD = 256;

/** Finds the events in segments that the journal does not know: another process left them, or somebody put them there. */
export class Recovery {
  readonly #site: Site;
  readonly #segments: Segments;
  /** Segments that the observer does not know completely. */
  readonly #found: Found[] = [];
  #last: Found | undefined;
  readonly #telling = new Turns();
  readonly #foreign = new Set<string>();
  /** The journal is closed: from now on nothing is looked at, and nothing is told. */
  isOver = false;

  constructor(site: Site, segments: Segments) {
    this.#site = site;
    this.#segments = segments;
  }

  /**
   * Takes over the segments in some directories. Leaves those that it cannot read where they are. Resolves to false if it should be
   * called again later.
   *
   * @param ours The slot's own directory, which stays when it is empty.
   */
  async look(directories: readonly string[], ours: string | undefined): Promise<boolean> {
    const { root } = this.#site;
    let isComplete = await this.#segments.forsake().then(
      () => true,
      (cause) => this.#isGone(root, cause),
    );
    for (const directory of directories)
      isComplete = (await this.#lookInto(directory, directory === ours)) && isComplete;
    return isComplete;
  }

  async #lookInto(directory: string, isOurs: boolean): Promise<boolean> {
    const { fs } = this.#site;
    try {
      const names = await filesIn(directory, fs);
      let isComplete = true;
      for (const name of names) {
        if (this.isOver) return true;
        const path = join(directory, name);
        const isKnown = this.#segments.knows(path) || this.#foreign.has(path);
        if (name.endsWith(SEGMENT_SUFFIX) && !isKnown)
          isComplete = (await this.#recover(directory, basename(name, SEGMENT_SUFFIX))) && isComplete;
        if (!name.endsWith(ACKNOWLEDGEMENTS_SUFFIX) || isKnown) continue;
        // The deletion of the segment was interrupted.
        if (!names.includes(basename(name, ACKNOWLEDGEMENTS_SUFFIX) + SEGMENT_SUFFIX)) await fs.remove(path);
      }
      if (!isOurs) await fs.removeDirectory(directory).catch(() => undefined);
      return isComplete;
    } catch (cause) {
      return this.#isGone(directory, cause);
    }
  }

  /** Whether the observer does not know all events that were found. */
  get hasUntold(): boolean {
    return this.#found.length > 0;
  }

  /** Reports the events that were found, the oldest first, some in each turn of the event loop. */
  tell(): Promise<void> {
    return this.#telling.take(async () => {
      const { fs } = this.#site;
      let told = 0;
      this.#found.sort((one, two) => one.order - two.order);
      for (let [found] = this.#found; found !== undefined; [found] = this.#found) {
        const { segment, waiting } = found;
        for (const run of waiting) {
          if (this.isOver) return;
          this.#site.observer?.recovered({ segment: segment.number, ...run }, segment.baseTime || undefined);
          if (++told % MOST_TOLD === 0) await fs.endOfTurn?.();
        }
        this.#found.shift();
      }
    });
  }

  async #recover(directory: string, name: string): Promise<boolean> {
    const segment = this.#segments.create(directory, this.#segments.next(), name);
    const { path } = segment;
    try {
      const waiting = await segment.recover();
      if (waiting?.length) {
        this.#segments.hold(segment);
        const before = this.#last?.segment.directory === directory ? this.#last.order : 0;
        this.#last = { segment, waiting, order: Math.max(before, segment.baseTime || 0) };
        this.#found.push(this.#last);
        return true;
      }
      if (waiting === undefined) {
        this.#foreign.add(path);
        this.#site.observer?.failed(
          new StorageError(`${path} is left where it is: it was written by another version of Sluice`),
        );
      } else await segment.delete();
      this.#segments.abandon(segment);
      return true;
    } catch (cause) {
      this.#segments.abandon(segment);
      return this.#isGone(path, cause);
    }
  }

  /** Whether a path is gone, because its deletion was in progress. Otherwise reports the failure. */
  #isGone(path: string, cause: unknown): boolean {
    const isGone = errorCode(cause) === 'ENOENT';
    if (!isGone)
      this.#site.observer?.failed(storageError(`cannot read ${path}; it is left where it is for now`, cause));
    return isGone;
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { numberedUuid } from '../../../processes/numbered-uuid.ts';
import { Emulating } from '../../emulating.ts';
import { createRandom } from '../../random.ts';
import { EVENTS_OF_A_PAGE, type VisitSettings } from '../page/visit-settings.ts';
import { PageServer } from '../page-server.ts';
import { WatchedService } from '../watched-service.ts';
import type { Engine } from './engines.ts';

const LOOK_MS = 100;
/** A browser on a busy machine needs this long for a page, besides the time that its user stays. */
const PAGE_MS = 15_000;

/** One user, who visits pages one after the other. */
export interface Visitor extends Pick<VisitSettings, 'leaving' | 'thinkMs' | 'maxWaitMs' | 'isElsewhere'> {
  readonly pages: number;
  readonly latencyMs: number;
  /** The share of the last requests of pages whose connection the service closes without an answer. */
  readonly cutShare: number;
  /** How long the last page is open, from its click on. */
  readonly stayMs: number;
}

/** What became of the events of a visitor. */
export interface Visited {
  readonly events: number;
  readonly lost: number;
  /** Events that arrived more than once, and how often the most frequent one arrived. */
  readonly doubled: number;
  readonly most: number;
  readonly requests: number;
  /** How many requests were cut. */
  readonly cut: number;
}

/** Lets visitors visit the same site at the same time, each with a profile and a service of their own. */
export async function visitAll(
  engine: Engine,
  visitors: readonly Visitor[],
  directory: string,
  seed: number,
): Promise<readonly Visited[]> {
  await using emulator = await Emulating.start();
  await using pages = await PageServer.start();
  const services = visitors.map((visitor) => new Watch(emulator, visitor, seed));
  try {
    await Promise.all(services.map(({ service }) => service.open()));
    const addresses = services.map((watch) => pages.visit(watch.settings));
    await using _browser = await engine.open(addresses, directory);
    await Promise.all(services.map((watch) => watch.end()));
    return services.map((watch) => watch.visited);
  } finally {
    await Promise.all(services.map(({ service }) => service[Symbol.asyncDispose]()));
  }
}

/** The service of one visitor. */
class Watch {
  readonly service: WatchedService;
  readonly #visitor: Visitor;
  readonly #apiKey: string;
  #cut = 0;

  constructor({ baseUrl, apiKey }: Emulating, visitor: Visitor, seed: number) {
    const random = createRandom(seed);
    const tried = new Set<string>();
    /** The clicks of all pages but the last. */
    const clicks = new Set(
      Array.from({ length: visitor.pages - 1 }, (_, index) => numberedUuid(index + 1, EVENTS_OF_A_PAGE - 1)),
    );
    this.#visitor = visitor;
    this.#apiKey = apiKey;
    this.service = new WatchedService(baseUrl);
    this.service.isFresh = true;
    this.service.latencyMs = visitor.latencyMs;
    this.service.treat = (uuids) => {
      // A page tracks its click as it is left: the first request with it is its last one.
      const isLast = [...uuids].some((uuid) => clicks.has(uuid) && !tried.has(uuid));
      for (const uuid of uuids) tried.add(uuid);
      if (!isLast || random(1_000) >= visitor.cutShare * 1_000) return 'passed';
      this.#cut += 1;
      return 'lost';
    };
  }

  get settings(): VisitSettings {
    const { leaving, thinkMs, maxWaitMs, isElsewhere, pages } = this.#visitor;
    const { baseUrl } = this.service;
    return {
      ...{ leaving, thinkMs, maxWaitMs, isElsewhere, baseUrl },
      ...{ apiKey: this.#apiKey, page: 1, last: pages },
    };
  }

  /** Resolves once the visitor has been on the last page for long enough. */
  async end(): Promise<void> {
    const { pages, thinkMs, stayMs } = this.#visitor;
    const last = numberedUuid(pages, 0);
    for (
      const end = Date.now() + pages * (PAGE_MS + thinkMs);
      !this.service.seen.has(last);
      await pause(LOOK_MS)
    )
      if (Date.now() > end) throw new Error('a visitor did not come to the last page');
    await pause(thinkMs + stayMs);
  }

  get visited(): Visited {
    const times = new Map<string, number>();
    const { taken } = this.service;
    for (const { uuids } of taken) for (const uuid of uuids) times.set(uuid, (times.get(uuid) ?? 0) + 1);
    const { pages } = this.#visitor;
    const events = pages * EVENTS_OF_A_PAGE;
    const copies = [...times.values()];
    return {
      events,
      lost: events - copies.length,
      doubled: copies.filter((count) => count > 1).length,
      most: Math.max(0, ...copies),
      requests: taken.length,
      cut: this.#cut,
    };
  }
}

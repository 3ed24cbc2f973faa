import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { numberedUuid } from '../../processes/numbered-uuid.ts';
import { Emulating } from '../emulating.ts';
import type { FaultContext, FaultResult } from '../fault.ts';
import { Browser } from './browser.ts';
import { countRepeats } from './excuses.ts';
import type { PageSettings } from './page/page-settings.ts';
import { PageServer } from './page-server.ts';
import type { Tab } from './tab.ts';
import { WatchedService } from './watched-service.ts';

/** If nothing arrives for this long, the missing events will not arrive. */
const GIVEN_UP_AFTER_MS = 60_000;
/** Except those that a page had in a request when it was cut off: they are leased for 30 s. */
export const LEASED_WITHIN_MS = 45_000;
/** A tab that makes no request for so long can be frozen or closed without one. */
const PAUSE_MS = 200;
/** A page that sends events twice does so within this time. */
const QUIET_MS = 1_000;
const LOOK_MS = 20;

interface OpenOptions {
  readonly isBusy?: boolean;
}

export interface Leniency {
  /** Events that a page reported as dropped may be lost. */
  readonly mayLose?: boolean;
  /** An event that a page reported as dropped may arrive all the same, because another page had it too. */
  readonly mayDrop?: boolean;
  /** The journal may report failures. */
  readonly mayFail?: boolean;
}

/** A site in a browser, its service in another process, and a proxy between the two. */
export class Scene implements AsyncDisposable {
  readonly service: WatchedService;
  readonly browser: Browser;
  readonly origin: string;
  /** The clock of pages that are opened from now on. */
  clock: PageSettings['clock'] = 'real';
  /** Offset of a jumping clock. */
  offsetMs = 0;
  /** The problems found, one line each. */
  readonly problems: string[] = [];
  readonly #emulator: Emulating;
  readonly #pages: PageServer;
  readonly #seed: number;
  readonly #startedAt = Date.now();

  private constructor(
    emulator: Emulating,
    service: WatchedService,
    pages: PageServer,
    context: FaultContext,
  ) {
    this.#emulator = emulator;
    this.#pages = pages;
    this.#seed = context.seed;
    this.service = service;
    this.origin = pages.origin;
    this.browser = new Browser(join(context.directory, 'profile'));
  }

  static async open(context: FaultContext): Promise<Scene> {
    const [emulator, pages] = await Promise.all([Emulating.start(), PageServer.start()]);
    const service = new WatchedService(emulator.baseUrl);
    await service.open();
    return new Scene(emulator, service, pages, context);
  }

  /** The address of the site. */
  address({ isBusy = false }: OpenOptions = {}): string {
    const { clock, offsetMs } = this;
    return this.#pages.address({
      ...{ baseUrl: this.service.baseUrl, apiKey: this.#emulator.apiKey },
      ...{ clock, offsetMs, startedAt: this.#startedAt, isBusy, seed: this.#seed },
    });
  }

  openTab(options: OpenOptions = {}): Promise<Tab> {
    return this.browser.openTab(this.address(options));
  }

  /** Opens one more page, waits until all durable events have arrived and no page has pending events, and counts. */
  async settle(
    tries: number,
    { mayLose = false, mayDrop = mayLose, mayFail = false }: Leniency = {},
  ): Promise<FaultResult> {
    const { service, problems } = this;
    service.treat = () => 'passed';
    await service.open();
    for (const tab of this.browser.openTabs) await tab.call('setBusy', false);
    await this.openTab();
    if (!mayLose) await this.arrival();
    await this.rest();
    const lives = this.browser.tabs.flatMap(({ lives }) => lives);
    const expectations = lives.map(({ expectation }) => expectation);
    const found = await this.#emulator.audit({ expectations, isComplete: false });
    const cuts = new Map(lives.map(({ life, cuts }) => [life, cuts]));
    const { excused, unexcused, examples } = countRepeats(service.taken, (life) => cuts.get(life) ?? []);
    if (unexcused > 0)
      problems.push(`${unexcused} events came again though their request had been answered`, ...examples);
    const dropped = lives.reduce((sum, life) => sum + life.dropped, 0);
    const lost = mayLose ? Math.max(0, found.lost - dropped) : found.lost;
    if (!mayFail) problems.push(...lives.flatMap(({ storageFailures }) => storageFailures));
    if (!mayDrop) problems.push(...lives.flatMap(({ drops }) => drops));
    return {
      ...{ tries, durable: found.expected, lost, duplicates: found.duplicates },
      demand: `0 lost, duplicates <= ${excused} (outcome cut off)`,
      problems: [...(lost > 0 ? found.examples : []), ...lives.flatMap((life) => life.problems), ...problems],
    };
  }

  /**
   * Resolves once all durable events of these tabs have arrived, or will not arrive any more. Returns how many ms it took.
   *
   * @param most So many may be missing.
   */
  async arrival(tabs: readonly Tab[] = this.browser.tabs, most: number = 0): Promise<number> {
    const startedAt = performance.now();
    await this.#until(async () => this.#missing(tabs, most) <= most);
    return performance.now() - startedAt;
  }

  /** Resolves once a tab saw that the service is away, and makes no request for a while. */
  async failure(tab: Tab): Promise<void> {
    await this.#until(async () => (await tab.call('look')).pauseMs > PAUSE_MS);
  }

  /** Waits until no open page has pending events, and for a while after that. */
  async rest(): Promise<void> {
    const isResting = await this.#until(async () => {
      const views = await Promise.all(this.browser.openTabs.map((tab) => tab.call('look')));
      return views.every(({ pending }) => pending === 0);
    });
    if (isResting) await pause(QUIET_MS);
    else this.problems.push('a page still has events to deliver');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
    await Promise.all([this.#pages[Symbol.asyncDispose](), this.#emulator[Symbol.asyncDispose]()]);
  }

  /** How many durable events of these tabs have not arrived. Counts no further than necessary. */
  #missing(tabs: readonly Tab[], most: number): number {
    const { seen } = this.service;
    let missing = 0;
    for (const { life, durable } of tabs.flatMap(({ lives }) => lives)) {
      // Newest events first: if any are missing, these are.
      for (let number = durable - 1; number >= 0 && missing <= most; number -= 1)
        if (!seen.has(numberedUuid(life, number))) missing += 1;
    }
    return missing;
  }

  /** When a page was last cut off from its requests. */
  get #cutAt(): number {
    const cuts = this.browser.tabs.flatMap(({ lives }) => lives.flatMap(({ cuts }) => cuts));
    return Math.max(...cuts.map(({ from }) => from), Number.NEGATIVE_INFINITY);
  }

  /** Resolves to true once `holds` does, or to false once nothing has arrived for a long time. */
  async #until(holds: () => Promise<boolean>): Promise<boolean> {
    const { taken } = this.service;
    let [end, before] = [0, -1];
    while (!(await holds())) {
      if (taken.length > before)
        end = Math.max(performance.now() + GIVEN_UP_AFTER_MS, this.#cutAt + LEASED_WITHIN_MS);
      else if (performance.now() > end) return false;
      before = taken.length;
      await pause(LOOK_MS);
    }
    return true;
  }
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import type { BrowserSubject } from './browser-subject.ts';
import { ChromiumProcess } from './chromium-process.ts';
import { Collector } from './collector.ts';
import type { Calls, Counted } from './pages/page-driver.ts';

/** One SDK in a browser with its own profile, and the service that it sends to. */
export class Cell implements AsyncDisposable {
  readonly service: Collector;
  readonly #subject: BrowserSubject;
  readonly #site: string;
  readonly #start: () => Promise<ChromiumProcess>;
  #chromium: ChromiumProcess;

  private constructor(
    subject: BrowserSubject,
    site: string,
    service: Collector,
    start: () => Promise<ChromiumProcess>,
    chromium: ChromiumProcess,
  ) {
    this.#subject = subject;
    this.#site = site;
    this.service = service;
    this.#start = start;
    this.#chromium = chromium;
  }

  /**
   * @param site Address of the page.
   * @param directory Directory of all profiles.
   * @param name Name of this cell's profile. Unique.
   */
  static async open(
    executable: string,
    subject: BrowserSubject,
    site: string,
    directory: string,
    name: string,
  ): Promise<Cell> {
    const profile = join(directory, name);
    mkdirSync(profile);
    const start = () => ChromiumProcess.start(executable, profile);
    return new Cell(subject, site, await Collector.start(), start, await start());
  }

  /** Opens the page in a new tab and starts the SDK there. */
  async visit(): Promise<Page> {
    const page = await this.openTab();
    await this.startSdk(page);
    return page;
  }

  async openTab(): Promise<Page> {
    const page = await this.#chromium.context.newPage();
    await page.goto(this.#site);
    return page;
  }

  async startSdk(page: Page): Promise<void> {
    await page.evaluate(([name, url]) => driver.start(name, url), [
      this.#subject.page,
      this.service.url,
    ] as const);
  }

  track(page: Page, calls: Calls): Promise<Counted> {
    return page.evaluate((asked) => driver.track(asked), calls);
  }

  /** Kills the browser with SIGKILL, and starts a new one with the same profile. */
  async killAndRestart(): Promise<void> {
    await this.#chromium.kill();
    this.#chromium = await this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chromium[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
  }
}

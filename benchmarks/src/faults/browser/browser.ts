import { BrowserProcess } from './browser-process.ts';
import { CHROMIUM, whyNoChromium } from './find-chromium.ts';
import { Tab } from './tab.ts';

/** A browser that can be killed and restarted with the same profile. Remembers all its tabs, also closed ones. */
export class Browser implements AsyncDisposable {
  /** The tabs with pages that track. */
  readonly tabs: Tab[] = [];
  readonly #plainTabs: Tab[] = [];
  readonly #profile: string;
  #process: BrowserProcess;

  /** @param profile An empty directory. */
  constructor(profile: string) {
    this.#profile = profile;
    this.#process = this.#start();
  }

  get openTabs(): Tab[] {
    return this.tabs.filter(({ isOpen }) => isOpen);
  }

  async openTab(address: string): Promise<Tab> {
    const tab = await Tab.open(this.#process.devTools);
    this.tabs.push(tab);
    await tab.visit(address);
    return tab;
  }

  /** Opens a tab with a page that does not track. It is not in `tabs`. */
  async openPlainTab(address: string): Promise<Tab> {
    const tab = await Tab.open(this.#process.devTools);
    this.#plainTabs.push(tab);
    await tab.send('Page.navigate', { url: address });
    return tab;
  }

  /** Opens a tab that nobody watches: in others, Chromium loads nothing of a page that it prerenders. */
  async openUnwatched(address: string): Promise<void> {
    await this.#process.devTools.send('Target.createTarget', { url: address });
  }

  /** Kills all processes of the browser. */
  async kill(): Promise<void> {
    for (const tab of this.openTabs) tab.end();
    await this.#process.kill();
  }

  /** Starts the browser again after `kill()`. */
  restart(): void {
    this.#process = this.#start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }

  #start(): BrowserProcess {
    if (CHROMIUM === undefined) throw new Error(whyNoChromium);
    return new BrowserProcess(CHROMIUM, this.#profile, (event) => {
      [...this.tabs, ...this.#plainTabs].find(({ sessionId }) => sessionId === event.sessionId)?.hear(event);
    });
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { DevTools, DevToolsEvent } from './dev-tools.ts';
import type { Page } from './page/page.ts';
import { type PageTold, TELL } from './page/page-settings.ts';
import { PageLife } from './page-life.ts';

const LOOK_MS = 5;
/** Only a page that hangs takes so long to start. */
const START_MS = 60_000;

interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
}

/** A tab of the browser, and the pages that it has shown. */
export class Tab {
  readonly sessionId: string;
  /** All pages that it has shown. */
  readonly lives: PageLife[] = [];
  readonly #devTools: DevTools;
  readonly #targetId: string;
  readonly #listeners = new Map<string, (params: DevToolsEvent['params']) => void>();
  isOpen = true;

  private constructor(devTools: DevTools, targetId: string, sessionId: string) {
    this.#devTools = devTools;
    this.#targetId = targetId;
    this.sessionId = sessionId;
  }

  static async open(devTools: DevTools): Promise<Tab> {
    const { targetId } = await devTools.send<{ targetId: string }>('Target.createTarget', {
      url: 'about:blank',
    });
    const asked = { targetId, flatten: true };
    const { sessionId } = await devTools.send<{ sessionId: string }>('Target.attachToTarget', asked);
    const tab = new Tab(devTools, targetId, sessionId);
    await tab.send('Runtime.enable');
    await tab.send('Runtime.addBinding', { name: TELL });
    return tab;
  }

  /** The page that it shows, or showed last. */
  get page(): PageLife {
    const page = this.lives.at(-1);
    if (page === undefined) throw new Error('the tab shows no page that tracks yet');
    return page;
  }

  /** Listens for a browser event of this tab. Returns a function that stops listening. */
  on(method: string, listener: (params: DevToolsEvent['params']) => void): () => void {
    this.#listeners.set(method, listener);
    return () => void this.#listeners.delete(method);
  }

  hear({ method, params }: DevToolsEvent): void {
    this.#listeners.get(method)?.(params);
    if (method !== 'Runtime.bindingCalled' || params.name !== TELL) return;
    const told: PageTold = JSON.parse(String(params.payload));
    if (told.type === 'started') this.lives.push(new PageLife(told.life));
    else this.lives.find(({ life }) => life === told.life)?.hear(told);
  }

  send<Result>(method: string, params: object = {}): Promise<Result> {
    return this.#devTools.send<Result>(method, params, this.sessionId);
  }

  /** Calls a function of the page and resolves to its result. Rejects if the page ends first. */
  async call<Name extends keyof Page>(
    name: Name,
    ...args: Parameters<Page[Name]>
  ): Promise<Awaited<ReturnType<Page[Name]>>> {
    const given = args.map((arg) => JSON.stringify(arg)).join();
    return (await this.evaluate(`page.${name}(${given})`)) as Awaited<ReturnType<Page[Name]>>;
  }

  /** Runs a script in the current page. Resolves to its result, as JSON. */
  async evaluate(expression: string): Promise<unknown> {
    const how = { awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send<Evaluated>('Runtime.evaluate', {
      expression,
      ...how,
    });
    if (exceptionDetails === undefined) return result.value;
    const { text, exception } = exceptionDetails;
    throw new Error(`${expression}: ${exception?.description ?? text}`);
  }

  /** Goes to an address, and waits until its page has started. */
  async visit(address: string): Promise<void> {
    await this.#next(() => this.send('Page.navigate', { url: address }));
  }

  /** Tracks events and goes to an address in the same task. Waits until its page has started. */
  async trackAndVisit(count: number, address: string): Promise<void> {
    await this.#next(() => this.call('trackAndLeave', count, address));
  }

  async reload(): Promise<void> {
    await this.#next(() => this.send('Page.reload'));
  }

  async close(): Promise<void> {
    this.end();
    await this.#devTools.send('Target.closeTarget', { targetId: this.#targetId });
  }

  /** Crashes the process of its page, and closes the rest of the tab. */
  async crash(): Promise<void> {
    this.end();
    // Never answered: the process that would answer is gone.
    this.send('Page.crash').catch(() => undefined);
    await pause(LOOK_MS);
    await this.#devTools.send('Target.closeTarget', { targetId: this.#targetId });
  }

  /** Marks the tab as closed. From now on, its page cannot learn the outcome of its requests. */
  end(): void {
    this.isOpen = false;
    this.lives.at(-1)?.cutOff();
  }

  async #next(go: () => Promise<unknown>): Promise<void> {
    const shown = this.lives.length;
    this.lives.at(-1)?.cutOff();
    await go();
    for (const end = Date.now() + START_MS; this.lives.length === shown; await pause(LOOK_MS)) {
      if (Date.now() > end) throw new Error(`the page did not start within ${START_MS} ms`);
    }
  }
}

import { type Browser, type BrowserContext, chromium, devices, type Page } from 'playwright';
import { findChromium } from '../../../scripts/chromium.mjs';
import { PATIENCE } from '../../../testing/patience.ts';

const executablePath = findChromium();

export const hasChromium: boolean = executablePath !== undefined;

export function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  return chromium.launch({ ...(executablePath && { executablePath }), args, ...PATIENCE });
}

type Stage = 'memory' | 'disk' | 'flight' | 'delivered';

/** A browser page as on a phone, which shows the shop. */
export class Phone implements AsyncDisposable {
  readonly page: Page;
  /** Uncaught errors of the page. */
  readonly errors: Error[] = [];
  /** All hosts to which the page has sent a request. */
  readonly hosts: Set<string> = new Set();
  readonly #context: BrowserContext;

  static async open(browser: Browser, url: string): Promise<Phone> {
    const context = await browser.newContext({ ...devices['Pixel 7'] });
    context.setDefaultTimeout(PATIENCE.timeout);
    const phone = new Phone(context, await context.newPage());
    await phone.page.goto(url);
    return phone;
  }

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    page.on('pageerror', (error) => this.errors.push(error));
    page.on('request', (request) => this.hosts.add(new URL(request.url()).hostname));
  }

  async tap(role: 'button' | 'switch', name: string): Promise<void> {
    await this.page.getByRole(role, { name, exact: true }).tap();
  }

  /** Resolves once the buffer shows this many events at that stage. */
  async shows(stage: Stage, count: number): Promise<void> {
    const shown = this.page.locator(`[data-stage="${stage}"] dd`, { hasText: new RegExp(`^${count}$`) });
    await shown.waitFor();
  }

  /** The addresses of requests for leave, which a browser makes before some requests to other origins. More are added later. */
  async preflights(): Promise<readonly string[]> {
    const found: string[] = [];
    const session = await this.#context.newCDPSession(this.page);
    await session.send('Network.enable');
    session.on('Network.requestWillBeSent', ({ request, type }) => {
      if (type === 'Preflight') found.push(request.url);
    });
    return found;
  }

  /** From now on, reads what the page loads, and the headers of its requests. Returns a function that returns all. */
  resources(): () => Promise<readonly { readonly url: string; readonly text: string }[]> {
    const all: Promise<{ readonly url: string; readonly text: string }>[] = [];
    this.page.on('response', (response) => {
      const read = async () => {
        const text = await response.text().catch(() => '');
        const headers = JSON.stringify([await response.request().allHeaders(), await response.allHeaders()]);
        return { url: response.url(), text: `${headers}\n${response.request().postData() ?? ''}\n${text}` };
      };
      all.push(read());
    });
    return () => Promise.all(all);
  }

  /** What the page stores, as text. */
  stored(): Promise<string> {
    return this.page.evaluate(async () => {
      const done = <Result>(request: IDBRequest<Result>) =>
        new Promise<Result>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const texts = [JSON.stringify(localStorage)];
      for (const { name = '' } of await indexedDB.databases()) {
        const database = await done(indexedDB.open(name));
        for (const store of database.objectStoreNames) {
          const objects = database.transaction(store).objectStore(store);
          texts.push(name, JSON.stringify(await done(objects.getAll())));
        }
        database.close();
      }
      return texts.join('\n');
    });
  }

  /** Disconnects the phone from the network, or connects it again. */
  async setOffline(isOffline: boolean): Promise<void> {
    await this.#context.setOffline(isOffline);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { chromium, firefox } from 'playwright';
import { CHROMIUM } from '../find-chromium.ts';

const SCRIPT = new URL('../../../../../scripts/engines.mjs', import.meta.url);

interface Finder {
  findFirefox(): string | undefined;
  findWebKitGtk(): { readonly miniBrowser: string; readonly xvfbRun: string } | undefined;
}

const { findFirefox, findWebKitGtk }: Finder = await import(SCRIPT.href);

/** A browser in which pages are opened that need nobody to drive them. */
export interface Engine {
  readonly name: 'chromium' | 'firefox' | 'webkit';
  /** Opens each address with a profile of its own. */
  open(addresses: readonly string[], directory: string): Promise<AsyncDisposable>;
}

/** The browsers of this machine. */
export function engines(): readonly Engine[] {
  const found: Engine[] = [];
  if (CHROMIUM !== undefined) {
    const options = { executablePath: CHROMIUM, args: ['--no-sandbox'] };
    found.push({ name: 'chromium', open: (addresses) => openIn(chromium.launch(options), addresses) });
  }
  const executablePath = findFirefox();
  if (executablePath !== undefined) {
    const options = { executablePath, channel: 'moz-firefox' };
    found.push({ name: 'firefox', open: (addresses) => openIn(firefox.launch(options), addresses) });
  }
  const webKit = findWebKitGtk();
  if (webKit !== undefined) {
    const { miniBrowser, xvfbRun } = webKit;
    const open = (address: string, profile: string) => {
      const directories = { XDG_DATA_HOME: profile, XDG_CACHE_HOME: profile, XDG_CONFIG_HOME: profile };
      return spawn(xvfbRun, ['--auto-servernum', miniBrowser, address], {
        env: { ...process.env, ...directories },
        stdio: 'ignore',
        // Its own process group: ending the group ends the browser and its virtual screen.
        detached: true,
      });
    };
    found.push({
      name: 'webkit',
      async open(addresses, directory) {
        const children = addresses.map((address, number) =>
          open(address, join(directory, `webkit-${number}`)),
        );
        return { [Symbol.asyncDispose]: async () => void (await Promise.all(children.map(end))) };
      },
    });
  }
  return found;
}

async function openIn(
  launching: ReturnType<typeof chromium.launch>,
  addresses: readonly string[],
): Promise<AsyncDisposable> {
  const browser = await launching;
  for (const address of addresses) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address, { waitUntil: 'commit' });
  }
  return { [Symbol.asyncDispose]: () => browser.close() };
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  await closed;
}

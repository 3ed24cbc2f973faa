// Runs browser tests in WebKitGTK's MiniBrowser: a process on a virtual screen (Xvfb), which opens the page.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineBrowserProvider } from '@vitest/browser';
import type { BrowserProvider, BrowserProviderOption } from 'vitest/node';

interface Programs {
  readonly miniBrowser: string;
  readonly xvfbRun: string;
}

export function webKitGtk(programs: Programs): BrowserProviderOption {
  return defineBrowserProvider({ name: 'webkitgtk', providerFactory: () => new MiniBrowser(programs) });
}

class MiniBrowser implements BrowserProvider {
  readonly name = 'webkitgtk';
  readonly supportsParallelism = false;
  readonly #programs: Programs;
  readonly #profile = mkdtempSync(join(tmpdir(), 'sluice-webkit-'));
  readonly #processes: ChildProcess[] = [];

  constructor(programs: Programs) {
    this.#programs = programs;
    // If a time limit ends the run, the browser must not stay.
    process.once('SIGTERM', () => process.exit(143));
    process.once('exit', () => this.#end());
  }

  getCommandsContext(): Record<string, unknown> {
    return {};
  }

  async openPage(_sessionId: string, url: string): Promise<void> {
    const { miniBrowser, xvfbRun } = this.#programs;
    const profile = this.#profile;
    const directories = { XDG_DATA_HOME: profile, XDG_CACHE_HOME: profile, XDG_CONFIG_HOME: profile };
    const child = spawn(xvfbRun, ['--auto-servernum', miniBrowser, url], {
      env: { ...process.env, ...directories },
      stdio: 'ignore',
      // Its own process group: ending the group ends the browser and its virtual screen.
      detached: true,
    });
    this.#processes.push(child);
  }

  async close(): Promise<void> {
    this.#end();
  }

  #end(): void {
    for (const { pid } of this.#processes.splice(0)) if (pid !== undefined) endGroup(pid);
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // The group has already ended.
  }
}

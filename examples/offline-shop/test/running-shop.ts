import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoredEvent } from '@sluice/emulator';
import { expect, vi } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';

const MAIN = fileURLToPath(new URL('../dist/server/main.js', import.meta.url));

/** The built shop, in its own process. */
export interface RunningShop extends AsyncDisposable {
  readonly url: string;
  readonly output: string;
  /** The key of the service. */
  readonly key: string;
  /** The events that the service has, once it has at least so many: the relay may still have some of them. */
  events(atLeast: number): Promise<StoredEvent[]>;
  /** Ends the process as Ctrl-C does. Resolves to its exit code. */
  interrupt(): Promise<number | null>;
}

export async function startShop(): Promise<RunningShop> {
  const ports = ['--port', '--service-port', '--api-port'].flatMap((flag) => [flag, '0']);
  const child = spawn(process.execPath, [MAIN, ...ports], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    output += text;
    if (output.includes('Ctrl-C')) break;
  }
  const [, url = ''] = output.match(/The shop\s+(\S+)/) ?? [];
  const [, authorization = '', apiUrl = ''] = output.match(/'Authorization: (.+)' (\S+)\/emulator/) ?? [];
  return {
    url,
    output,
    key: authorization.replace('Api-Key ', ''),
    events: (atLeast) =>
      vi.waitFor(async () => {
        const url = `${apiUrl}/emulator/events/export?details=true`;
        const text = await (await fetch(url, { headers: { authorization } })).text();
        // Newest first, one a line.
        const events = text
          .split('\n')
          .flatMap((line) => (line === '' ? [] : JSON.parse(line)))
          .reverse();
        expect(events.length).toBeGreaterThanOrEqual(atLeast);
        return events;
      }, PATIENCE),
    async interrupt() {
      child.kill('SIGINT');
      const [code] = await exit;
      return code;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exit;
    },
  };
}

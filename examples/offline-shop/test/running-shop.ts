import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoredEvent } from '@sluice/emulator';

const MAIN = fileURLToPath(new URL('../dist/server/main.js', import.meta.url));

/** The built shop, in its own process. */
export interface RunningShop extends AsyncDisposable {
  readonly url: string;
  readonly output: string;
  /** The events that the service has. Fails while the service is away. */
  events(): Promise<StoredEvent[]>;
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
    async events() {
      const answer = await fetch(`${apiUrl}/emulator/events`, { headers: { authorization } });
      return (await answer.json()).events;
    },
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

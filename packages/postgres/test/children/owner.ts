import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Timing } from '../../src/journal/options.ts';
import type { Fleet } from '../bench/fleet.ts';
import { SHORT } from '../bench/journals.ts';

const SCRIPT = fileURLToPath(new URL('owner.mjs', import.meta.url));

/** A process with a tracker whose events are in the table. It ends with the test. */
export interface Owner {
  signal(signal: NodeJS.Signals): void;
  /** Resolves to its books, once it has flushed. */
  books(): Promise<unknown>;
  kill(): Promise<void>;
}

/** Starts a process that tracks so many events. Resolves once they are in the table. */
export async function startOwner(
  { database, emulator, schema }: Fleet,
  name: string,
  count: number,
  options: object = {},
  timing: Partial<Timing> = {},
): Promise<Owner> {
  const { apiKey, baseUrl } = emulator;
  const assignment = {
    ...{
      count,
      name,
      schema,
      timing: { ...SHORT, ...timing },
      pool: { connectionString: database.server.connectionString },
    },
    options: { apiKey, baseUrl, correlationKey: 'email', logger: false, ...options },
  };
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(assignment)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  await once(lines, 'line');
  return {
    signal: (signal) => void child.kill(signal),
    async books() {
      const line = once(lines, 'line');
      child.stdin.write('\n');
      return JSON.parse(String((await line)[0]));
    },
    kill,
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

interface Ending {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface RunningDemo extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  /** The temporary directory of the demo. */
  readonly directory: string;
  /** Resolves to the output so far, once it matches. Rejects if the demo ends first. */
  says(pattern: RegExp): Promise<string>;
}

/** Starts the built demo as a process. */
export async function startDemo(...args: string[]): Promise<RunningDemo> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-demo-test-'));
  const env = { ...process.env, TMPDIR: directory, TEMP: directory, NO_COLOR: '1' };
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<Ending>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, errors }));
  });
  return {
    child,
    ended,
    directory,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(output) && resolve(output);
        child.stdout.on('data', look);
        child.on('close', () => reject(new Error(`The demo ended early: ${output}${errors}`)));
        look();
      }),
    async [Symbol.asyncDispose]() {
      child.kill(); // if a test failed; otherwise the demo has already ended
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const VERDICT = /^demo: accepted 10000, delivered 10000, lost 0, duplicates \d+$/;

describe.concurrent('the demo, built, as a process', () => {
  test('delivers all events, says so in its last line and leaves nothing behind', async () => {
    await using demo = await startDemo();
    const { code, output, errors } = await demo.ended;
    expect(errors).toBe('');
    expect(output.trimEnd().split('\n').at(-1)).toMatch(VERDICT);
    expect(code).toBe(0);
    await expectNothingLeft(demo);
  });

  test('keeps the service up when asked to, until Ctrl-C', async () => {
    await using demo = await startDemo('--serve');
    const output = await demo.says(new RegExp(VERDICT, 'm'));
    const [, url = ''] = output.match(/curl -H "\$KEY" '(http:\S+counts\S*)'/) ?? [];
    const [, key = ''] = output.match(/KEY='Authorization: (.*)'/) ?? [];
    const response = await fetch(url, { headers: { authorization: key } });
    expect(await response.json()).toMatchObject({ unique: 10_000 });
    demo.child.kill('SIGINT');
    expect(await demo.ended).toMatchObject({ code: 0, errors: '' });
    await expectNothingLeft(demo);
  });

  test('ends at once on Ctrl-C, with nothing left behind', async () => {
    await using demo = await startDemo();
    await demo.says(/of 10,000 tracked/);
    demo.child.kill('SIGINT');
    expect(await demo.ended).toMatchObject({ code: 130, errors: '\ndemo: ended by SIGINT\n' });
    await expectNothingLeft(demo);
  });

  test('refuses an argument that it does not know', async () => {
    await using demo = await startDemo('--fast');
    const { code, output, errors } = await demo.ended;
    expect(errors).toContain("Unknown option '--fast'");
    expect({ code, output }).toEqual({ code: 2, output: '' });
  });
});

interface Ending {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

interface RunningDemo extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  /** The temporary directory of the demo. */
  readonly directory: string;
  /** Resolves to the output so far, once it matches. Rejects if the demo ends first. */
  says(pattern: RegExp): Promise<string>;
}

async function startDemo(...args: string[]): Promise<RunningDemo> {
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

async function expectNothingLeft({ directory, ended }: RunningDemo): Promise<void> {
  expect(await readdir(directory)).toEqual([]);
  const { output } = await ended;
  const pids = [...output.matchAll(/\(process\s+(\d+)\)/g)].map(([, pid]) => Number(pid));
  expect(pids.length).toBeGreaterThanOrEqual(2);
  expect(pids.filter(isAlive)).toEqual([]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

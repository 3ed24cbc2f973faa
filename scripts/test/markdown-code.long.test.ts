import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { root } from '../workspace.mjs';

// Below `root`, so that imports find the packages; not in `node_modules`, so that vitest compiles what it runs.
mkdirSync(join(root, 'reports'), { recursive: true });
const folder = mkdtempSync(join(root, 'reports', 'markdown-'));
/** What blocks import beside the packages that `root` has. */
const LINKS = {
  '@sluice/cli': 'packages/cli',
  '@sluice/postgres': 'packages/postgres',
  '@sluice/protocol': 'packages/protocol',
  '@sluice/react': 'packages/react',
  '@sluice/relay': 'packages/relay',
  ...Object.fromEntries(
    ['@types/pg', 'drizzle-orm', 'pg'].map((name) => [name, `packages/postgres/node_modules/${name}`]),
  ),
  ...Object.fromEntries(
    ['@opentelemetry/api', '@types/react', '@types/react-dom', 'react', 'react-dom', 'undici'].map((name) => [
      name,
      `packages/core/node_modules/${name}`,
    ]),
  ),
  fastify: 'packages/relay/node_modules/fastify',
};
/** What blocks need not declare, and packages that are not installed. */
const PRELUDE = `
declare const baseUrl: string;
declare const apiUrl: string;
declare const apiKey: string;
declare const createTracker: typeof import('@sluice/core').createTracker;
declare const tracker: import('@sluice/core').Tracker;
declare const app: { all(path: string, handler: unknown): void };
declare const fastify: import('fastify').FastifyInstance;
declare const relay: import('@sluice/relay').Relay;
declare function emailOfSession(cookie: string | null): string | undefined;
declare function checkOut(service: { readonly baseUrl: string; readonly apiKey: string }): Promise<void>;
declare module 'express' {
  interface Message { readonly user: { readonly email: string }; readonly id: string; sendStatus(status: number): void }
  interface Application {
    post(path: string, handler: (request: Message, response: Message) => void): void;
    listen(port: number): import('node:http').Server;
  }
  export default function express(): Application;
}
declare module 'zod';
declare module 'expo-sqlite';
declare module 'react-native';
declare module 'react-native-get-random-values';
declare module '@op-engineering/op-sqlite';
declare module '@react-native-community/netinfo';
`;

interface Block {
  /** Document and line, as the name of its file. */
  readonly name: string;
  readonly code: string;
  readonly isRun: boolean;
}

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');
const blocks = documents.flatMap(blocksOf);

/** Empty lines in front of the code give it the line numbers of its document. */
function blocksOf(path: string): Block[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/^```(tsx?|js)( run)?\n(.*?)^```$/gms)].map(
    ({ index, 1: kind, 2: run, 3: code = '' }) => {
      const lines = text.slice(0, index).split('\n').length;
      const name = `${path.replaceAll('/', '_')}-${lines}.${kind}`;
      return { name, code: '\n'.repeat(lines) + code, isRun: run !== undefined };
    },
  );
}

let emulator: Emulator;

beforeAll(async () => {
  for (const { name, code } of blocks) writeFileSync(join(folder, name), code);
  for (const [name, target] of Object.entries(LINKS)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, target), link);
  }
  emulator = await startEmulator({
    primaryKey: 'email',
    apiKey: 'my-key',
    customers: [{ email: 'ada@example.com', first_name: 'Ada' }],
  });
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  vi.stubGlobal('baseUrl', emulator.baseUrl);
  vi.stubGlobal('apiKey', emulator.apiKey);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await emulator.close();
  rmSync(folder, { recursive: true });
});

it('compiles the code in every document, against the sources of the packages', () => {
  writeFileSync(join(folder, 'prelude.d.ts'), PRELUDE);
  const compilerOptions = {
    ...{ allowJs: true, jsx: 'react-jsx', noUnusedLocals: false, noUnusedParameters: false },
    types: ['node'],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, include: ['*'] }),
  );
  let errors = '';
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
  } catch (error) {
    errors = String((error as { stdout?: string }).stdout ?? error);
  }
  expect(errors).toBe('');
});

it.each(blocks.filter(({ isRun }) => isRun))(
  'runs $name, and it prints what it says',
  async ({ name, code }) => {
    const own = code
      .replaceAll('http://127.0.0.1:4100', emulator.baseUrl)
      .replaceAll('http://127.0.0.1:4200', emulator.apiUrl);
    const path = join(folder, `run-${name}`);
    writeFileSync(path, own);
    const printed: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((value) => {
      printed.push(typeof value === 'string' ? value : inspect(value));
    });
    await import(path);
    log.mockRestore();
    const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(said.length).toBeGreaterThan(0);
    expect(printed).toEqual(said);
  },
);

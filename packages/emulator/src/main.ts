#!/usr/bin/env node
import { Console } from 'node:console';
import { ConfigError } from '@sluice/protocol';
import { pino } from 'pino';
import { HELP, inFlagWords, parseCommandLine } from './command-line.ts';
import { greeting } from './greeting.ts';
import { readOptionFiles } from './option-files.ts';
import { startEmulator } from './start-emulator.ts';

const STDERR = 2;

// Standard output gets one line of JSON and nothing else, even if a dependency prints something.
globalThis.console = new Console(process.stderr);

const ended = new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
});

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`sluice-emulator: ${explain(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}

async function run(args: readonly string[]): Promise<void> {
  const { help, options, files, logLevel } = parseCommandLine(args);
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const fromFiles = readOptionFiles(files);
  const logger = pino({ level: logLevel }, pino.destination({ fd: STDERR, sync: true }));
  await using emulator = await startEmulator({ ...options, ...fromFiles, logger });
  const { baseUrl, apiUrl, pagesUrl, apiKey, primaryKey } = emulator;
  process.stdout.write(`${JSON.stringify({ baseUrl, apiUrl, pagesUrl, apiKey, primaryKey })}\n`);
  if (process.stderr.isTTY) process.stderr.write(greeting(emulator, options.data));
  await ended;
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return inFlagWords(error);
  return error instanceof Error ? error.message : String(error);
}

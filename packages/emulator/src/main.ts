#!/usr/bin/env node
import { Console } from 'node:console';
import { readFileSync } from 'node:fs';
import { ConfigError } from '@sluice/protocol';
import { pino } from 'pino';
import { isPortInUse } from './http/listener.ts';
import { messageOf } from './messages.ts';
import { HELP, inFlagWords, parseCommandLine } from './running/command-line.ts';
import { networkAddresses } from './running/network-addresses.ts';
import { startEmulator } from './running/start-emulator.ts';

const STDERR = 2;

// Standard output gets one line of JSON and nothing else, even if a dependency prints something.
globalThis.console = new Console(process.stderr);

const ended = new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
});

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(
    `sluice-emulator: ${error instanceof ConfigError ? inFlagWords(error) : messageOf(error)}\n`,
  );
  process.exitCode = error instanceof ConfigError && !isPortInUse(error) ? 2 : 1;
}

async function run(args: readonly string[]): Promise<void> {
  const { help, version, options, logLevel } = parseCommandLine(args);
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  if (version) {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    process.stdout.write(`${manifest.version}\n`);
    return;
  }
  const logger = pino({ level: logLevel }, pino.destination({ fd: STDERR, sync: true }));
  await using emulator = await startEmulator({ ...options, logger });
  const { baseUrl, apiUrl, pagesUrl, apiKey, primaryKey } = emulator;
  const addresses = networkAddresses(options.host);
  process.stdout.write(`${JSON.stringify({ baseUrl, apiUrl, pagesUrl, apiKey, primaryKey, addresses })}\n`);
  if (process.stderr.isTTY)
    process.stderr.write(`\nThe emulator is ready. Its pages: ${pagesUrl}\nCtrl-C ends it.\n\n`);
  await ended;
}

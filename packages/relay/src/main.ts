#!/usr/bin/env node
import { ConfigError } from '@sluice/protocol';
import { createRelay } from './relay.ts';
import { HELP, inVariables, readEnvironment } from './server/environment.ts';
import { startRelayServer } from './server/server.ts';

const ended = new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
});

try {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP);
  else if (args.length === 0) await run();
  else {
    // Without the argument: it may be a key.
    process.stderr.write(
      'sluice-relay: it takes no arguments, but variables of the environment (see --help)\n',
    );
    process.exitCode = 2;
  }
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const reason = error instanceof ConfigError ? inVariables(error) : message;
  process.stderr.write(`sluice-relay: ${reason}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}

async function run(): Promise<void> {
  const { host, port, path, ...options } = readEnvironment(process.env);
  const relay = createRelay(options);
  await using server = await startRelayServer(relay, { host, port, path });
  process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
  await ended;
}

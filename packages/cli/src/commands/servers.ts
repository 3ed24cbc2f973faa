import type { CommandSpec } from '../command-spec.ts';
import { EXIT } from '../exit-codes.ts';

export const emulatorCommand: CommandSpec = {
  usage: 'emulator',
  summary: 'start the service itself on this machine; takes the flags of sluice-emulator',
  examples: [['sluice emulator --port 4100 --api-port 4200', 'prints its addresses as a line of JSON']],
  passesArguments: true,
  run: (args) => start(import.meta.resolve('@sluice/emulator'), args),
};

export const relayCommand: CommandSpec = {
  usage: 'relay',
  summary: 'start a relay, which keeps the key out of pages; takes the variables of sluice-relay',
  examples: [['SLUICE_RELAY_PORT=8080 sluice relay', 'the other variables: sluice relay --help']],
  passesArguments: true,
  run: (args) => start(import.meta.resolve('@sluice/relay'), args),
};

/** Runs the command of a package, beside the package's index. What it prints is JSON anyway. */
async function start(index: string, args: readonly string[]): Promise<number> {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args.filter((arg) => arg !== '--json'));
  await import(new URL('main.js', index).href);
  return Number(process.exitCode ?? EXIT.done);
}

import type { CommandSpec } from '../command-spec.ts';
import { EXIT } from '../exit-codes.ts';

export const emulatorCommand: CommandSpec = {
  usage: 'emulator',
  summary: 'start the service itself on this machine; takes the flags of sluice-emulator',
  passesArguments: true,
  run: (args) => start(import.meta.resolve('@sluice/emulator'), args),
};

export const relayCommand: CommandSpec = {
  usage: 'relay',
  summary: 'start a relay, which keeps the key out of pages; takes the variables of sluice-relay',
  passesArguments: true,
  run: (args) => start(import.meta.resolve('@sluice/relay'), args),
};

/** Runs the command of a package. It is beside the package's index. */
async function start(index: string, args: readonly string[]): Promise<number> {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  await import(new URL('main.js', index).href);
  return Number(process.exitCode ?? EXIT.done);
}

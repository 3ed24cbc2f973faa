import type { CommandSpec } from '../command-spec.ts';
import { EXIT } from '../exit-codes.ts';

export const emulatorCommand: CommandSpec = {
  usage: 'emulator',
  summary: 'start the service itself on this machine; takes the flags of sluice-emulator',
  passesArguments: true,
  async run(args) {
    process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
    // The command of that package. It is beside its index.
    await import(new URL('main.js', import.meta.resolve('@sluice/emulator')).href);
    return Number(process.exitCode ?? EXIT.done);
  },
};

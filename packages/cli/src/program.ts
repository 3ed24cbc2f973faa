import { Command, CommanderError, Option } from 'commander';
import type { CommandSpec, Flags } from './command-spec.ts';
import { deadLettersCommand } from './commands/dead-letters.ts';
import { doctorCommand } from './commands/doctor.ts';
import { drainCommand } from './commands/drain.ts';
import { inspectCommand } from './commands/inspect.ts';
import { sendCommand } from './commands/send.ts';
import { emulatorCommand, relayCommand } from './commands/servers.ts';
import { verifyCommand } from './commands/verify.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { Output } from './output.ts';
import { readVersion } from './version.ts';

const COMMANDS: readonly CommandSpec[] = [
  inspectCommand,
  verifyCommand,
  drainCommand,
  deadLettersCommand,
  sendCommand,
  doctorCommand,
  emulatorCommand,
  relayCommand,
];

const SERVICE_OPTIONS = [
  ['--base-url <url>', 'address of the service (SLUICE_BASE_URL)'],
  ['--correlation-key <name>', 'primary key of the audience section (SLUICE_CORRELATION_KEY)'],
  ['--api-key-file <file>', 'file that holds the API key (or set SLUICE_API_KEY)'],
  ['--insecure-api-key <key>', 'the API key itself: all users of this machine can read it'],
  ['--config <file>', 'file of settings (default: sluice.config.mjs, .js, .ts or .json)'],
] as const;

const EXAMPLES = [
  ['sluice inspect', 'what waits, since when, and whose it is'],
  ['sluice doctor', 'why it waits, and what to do'],
  ['sluice drain /data/sluice', 'deliver it now'],
] as const;

const EXIT_CODES = `
Exit codes: 0 all is done, 1 something is left, damaged or failed, 2 wrong usage, 130 ended by Ctrl-C.
Settings come from flags, then from the environment, then from sluice.config.*.`;

/** Runs a command line. Returns the exit code. Never rejects. */
export async function run(args: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  const output = new Output(args.includes('--json'));
  const program = new Command('sluice')
    .description('What waits in a journal of Sluice, why, and how to get it out.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .addHelpText('after', examplesText(EXAMPLES) + EXIT_CODES);
  for (const spec of COMMANDS) {
    add(program, spec, async (run, given, flags) => {
      code = await run(given, flags, output);
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return output.fail(error);
    // Help and the version are errors to the library, too.
    if (error.exitCode === 0) return EXIT.done;
    return output.fail(new UsageError(`${hintOf(error, args)} (see sluice ${helpFor(program, args)}--help)`));
  }
}

/** An option that may have one value: of two, one would be ignored. */
function once(flags: string, description: string): Option {
  const option = new Option(flags, description);
  if (!option.required) return option;
  return option.argParser((value: string, before?: string) => {
    if (before === undefined) return value;
    throw new UsageError(`${option.long} is given twice: give it once`);
  });
}

type Handle = (run: NonNullable<CommandSpec['run']>, args: string[], flags: Flags) => Promise<void>;

function add(parent: Command, spec: CommandSpec, handle: Handle): void {
  const command = parent.command(spec.usage).summary(spec.summary).description(sentence(spec.summary));
  for (const [flags, description] of spec.options ?? []) command.addOption(once(flags, description));
  if (spec.usesService) {
    for (const [flags, description] of SERVICE_OPTIONS) command.addOption(once(flags, description));
    // Known only to be refused: the message for an unknown flag would show the key.
    command.addOption(
      new Option('--api-key [key]')
        .preset(true)
        .argParser(() => true)
        .hideHelp(),
    );
  }
  command.addHelpText('after', examplesText(spec.examples));
  for (const one of spec.commands ?? []) add(command, one, handle);
  const { run } = spec;
  if (run === undefined) return;
  if (spec.passesArguments)
    command.helpOption(false).allowUnknownOption().allowExcessArguments().argument('[args...]');
  else command.option('--json', 'results as lines of JSON');
  command.action(() => {
    const flags = command.opts<Flags>();
    // An empty path would be the working directory.
    if (!spec.passesArguments && [...command.args, ...Object.values(flags)].includes(''))
      throw new UsageError('an argument is empty: is a variable not set?');
    return handle(run, command.args, flags);
  });
}

function examplesText(examples: CommandSpec['examples']): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  return `\nExamples:\n${examples.map(([line, does]) => `  ${line.padEnd(width)}  ${does}\n`).join('')}`;
}

/** What is wrong with the command line. */
function hintOf({ code, message }: CommanderError, args: readonly string[]): string {
  if (code !== 'commander.help') return plain(message);
  const topic = args.includes('help') ? args[args.indexOf('help') + 1] : undefined;
  return topic === undefined ? 'name a command' : `unknown command '${topic}'`;
}

/** Without the value of an unknown flag, which may be a key. */
function plain(message: string): string {
  return message
    .replace('error: ', '')
    .replace(/(--[\w-]+)=[^']*/g, '$1')
    .replace(/^unknown option '(.+)'\n\(Did you mean \1\?\)$/, "option '$1' takes no value")
    .replace(/\n\(Did you mean (.+)\?\)$/, ': did you mean $1?');
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** The commands in the arguments, for a hint: `dead-letters list `. */
function helpFor(program: Command, args: readonly string[]): string {
  let words = '';
  let command: Command | undefined = program;
  for (const arg of args) {
    command = command.commands.find((one) => one.name() === arg);
    if (command === undefined) break;
    words += `${arg} `;
  }
  return words;
}

import { ArgumentError, type DemoArguments, HELP, parseArguments } from './arguments.ts';
import { runDemo } from './demo.ts';
import { Interruption, watchForInterruption } from './interruption.ts';
import { Screen } from './terminal/screen.ts';

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let wanted: DemoArguments;
  try {
    wanted = parseArguments(args);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    process.stderr.write(`demo: ${error.message}\n`);
    return 2;
  }
  if (wanted.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const interruption = watchForInterruption();
  try {
    return (await runDemo(new Screen(process.stdout), wanted.serve, interruption)) ? 0 : 1;
  } catch (error) {
    // After an interruption, any other error is a consequence of it.
    const cause = interruption.aborted ? interruption.reason : error;
    process.stderr.write(`\ndemo: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    return cause instanceof Interruption ? cause.exitCode : 1;
  }
}

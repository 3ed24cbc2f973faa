#!/usr/bin/env node
import { EXIT } from './exit-codes.ts';
import { run } from './program.ts';

// `sluice list | head` closes the pipe: nobody reads on, and nothing is wrong.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`sluice: cannot write the results: ${error.message}\n`);
  process.exit(EXIT.failed);
});
// Progress that nobody reads ends no delivery.
process.stderr.on('error', () => {});
process.exitCode = await run(process.argv.slice(2));

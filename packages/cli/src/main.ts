#!/usr/bin/env node
import { run } from './program.ts';

// `sluice list | head` closes the pipe: nobody reads on, and nothing is wrong.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});
process.exitCode = await run(process.argv.slice(2));

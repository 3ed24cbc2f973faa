// `node scripts/time-limit.mjs SECONDS COMMAND [ARGUMENTS]` runs a command. If it takes longer, ends it and all processes that
// it started, with exit code 124. GNU timeout does the same, but macOS does not have it.
import { spawn } from 'node:child_process';

const GRACE_MS = 10_000;
const [seconds, command = '', ...args] = process.argv.slice(2);
// The command gets its own process group, so that a signal also reaches the processes that it starts.
const child = spawn(command, args, { stdio: 'inherit', detached: true });
let isOver = false;

/** @param {NodeJS.Signals} signal */
function end(signal) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The processes have already ended.
  }
}

const timer = setTimeout(() => {
  isOver = true;
  end('SIGTERM');
  setTimeout(end, GRACE_MS, 'SIGKILL').unref();
}, Number(seconds) * 1000);

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, end);

child.on('error', ({ message }) => {
  clearTimeout(timer);
  console.error(message);
  process.exitCode = 127;
});
child.on('exit', (code) => {
  clearTimeout(timer);
  if (isOver) end('SIGKILL');
  process.exitCode = isOver ? 124 : (code ?? 1);
});

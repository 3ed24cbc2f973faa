// `node scripts/time-limit.mjs SECONDS COMMAND [ARGUMENTS]` runs a command, and ends it with all that it started where it takes
// longer: the exit code is 124 then, as that of GNU timeout, which macOS does not have.
import { spawn } from 'node:child_process';

const GRACE_MS = 10_000;
const [seconds, command = '', ...args] = process.argv.slice(2);
// A process group of its own, so that a signal reaches whatever the command starts.
const child = spawn(command, args, { stdio: 'inherit', detached: true });
let isOver = false;

/** @param {NodeJS.Signals} signal */
function end(signal) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // All of them have ended.
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

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { runProgram } from './run-program.ts';

/** Waits for the end of whoever started it, and leaves nothing mounted behind that one. */
const GUARD = 'read -r _; umount -l "$1" 2> /dev/null';

/**
 * A mounted file system. Whatever ends this process, SIGKILL too, it does not stay mounted: and a loop device goes with its
 * last mount.
 */
export class Mount implements Disposable {
  readonly path: string;
  readonly #args: readonly string[];
  readonly #guard: ReturnType<typeof spawn>;
  readonly #unmountAtExit = () => this.#unmountIfMounted();
  #isMounted = true;

  /** @param args What `mount` is given before the path, a directory that is made. */
  constructor(path: string, ...args: readonly string[]) {
    mkdirSync(path);
    runProgram('mount', ...args, path);
    this.path = path;
    this.#args = args;
    // In a session of its own, which Ctrl-C does not reach.
    this.#guard = spawn('sh', ['-c', GUARD, 'sh', path], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#guard.unref();
    // Before the scratch directory is removed.
    process.prependListener('exit', this.#unmountAtExit);
  }

  /** Unmounts it, which fails where a process still uses it, and mounts it again. */
  remount(): void {
    runProgram('umount', this.path);
    this.#isMounted = false;
    runProgram('mount', ...this.#args, this.path);
    this.#isMounted = true;
  }

  [Symbol.dispose](): void {
    this.#unmountIfMounted();
    process.removeListener('exit', this.#unmountAtExit);
    this.#guard.kill();
  }

  #unmountIfMounted(): void {
    // Detached at once, also where somebody still uses it.
    if (this.#isMounted) runProgram('umount', '-l', this.path);
    this.#isMounted = false;
  }
}

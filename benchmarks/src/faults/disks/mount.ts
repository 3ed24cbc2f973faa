import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { runProgram } from './run-program.ts';

/** Waits until the process that started it has ended, then unmounts the file system. */
const GUARD = 'read -r _; umount -l "$1" 2> /dev/null';

/** A mounted file system. It is unmounted however this process ends, even by SIGKILL. This also removes a loop device. */
export class Mount implements Disposable {
  readonly path: string;
  readonly #args: readonly string[];
  readonly #guard: ReturnType<typeof spawn>;
  readonly #unmountAtExit = () => this.#unmountIfMounted();
  #isMounted = true;

  /** @param args Arguments of `mount` before the path. The directory at the path is created. */
  constructor(path: string, ...args: readonly string[]) {
    mkdirSync(path);
    runProgram('mount', ...args, path);
    this.path = path;
    this.#args = args;
    // Its own session, so that Ctrl-C does not reach it.
    this.#guard = spawn('sh', ['-c', GUARD, 'sh', path], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#guard.unref();
    // First, before another listener removes the scratch directory.
    process.prependListener('exit', this.#unmountAtExit);
  }

  /** Unmounts it and mounts it again. Fails if a process still uses it. */
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
    // Lazy: detaches it at once, even if a process still uses it.
    if (this.#isMounted) runProgram('umount', '-l', this.path);
    this.#isMounted = false;
  }
}

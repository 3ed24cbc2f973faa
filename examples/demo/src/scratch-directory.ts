import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The files of one run, in the system's temporary directory. Disposing deletes them all. */
export class ScratchDirectory implements AsyncDisposable {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static async create(): Promise<ScratchDirectory> {
    const scratch = new ScratchDirectory(await mkdtemp(join(tmpdir(), 'sluice-demo-')));
    await mkdir(scratch.journal);
    return scratch;
  }

  /** The data of the service. */
  get service(): string {
    return join(this.#path, 'service');
  }

  /** The journal of the application. */
  get journal(): string {
    return join(this.#path, 'journal');
  }

  /** The application's log. */
  get log(): string {
    return join(this.#path, 'application.log');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#path, { recursive: true, force: true, maxRetries: 3 });
  }
}

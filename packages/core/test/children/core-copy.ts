import { cp, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A second copy of the built package, as a bundler may make it. */
export class CoreCopy {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async create(): Promise<CoreCopy> {
    const copy = new CoreCopy(await mkdtemp(join(tmpdir(), 'sluice-copy-')));
    const core = await realpath(fileURLToPath(new URL('../..', import.meta.url)));
    for (const name of ['package.json', 'dist'])
      await cp(join(core, name), join(copy.#directory, name), { recursive: true });
    await symlink(join(core, 'node_modules'), join(copy.#directory, 'node_modules'));
    return copy;
  }

  /** The URL to import. */
  get url(): string {
    return pathToFileURL(join(this.#directory, 'dist', 'index.js')).href;
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true });
  }
}

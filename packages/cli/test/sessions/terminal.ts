import { once } from 'node:events';
import { type Environment, ended, start } from '../sluice-process.ts';

type Wait = (running: ReturnType<typeof start>) => Promise<unknown>;

/** A command, and what ends it. */
export interface Run {
  readonly line: string;
  /** Instead of the environment of the terminal. */
  readonly env?: Environment;
  /** Waits, and then sends a signal. Default: the command ends by itself. */
  readonly endsAfter?: Wait;
  readonly signal?: NodeJS.Signals;
}

const KEYS = { SIGINT: '^C\n', SIGKILL: 'Killed\n' } as Readonly<Record<string, string>>;

/** Waits for the first output. */
export const firstOutput: Wait = ({ stdout }) => once(stdout, 'data');
/** Waits for the first line about progress. */
export const firstProgress: Wait = ({ stderr }) => once(stderr, 'data');

/** Runs commands, and writes down what a person sees. */
export class Terminal {
  readonly #folder: string;
  readonly #env: Environment;
  readonly #places: ReadonlyMap<string, string>;
  #text: string;

  /** @param places What is shown in place of paths and addresses of this run. */
  constructor(title: string, folder: string, env: Environment, places: ReadonlyMap<string, string>) {
    this.#text = title;
    this.#folder = folder;
    this.#env = env;
    this.#places = places;
  }

  get text(): string {
    return this.#text;
  }

  heading(text: string): void {
    this.#text += `\n## ${text}\n`;
  }

  /** Writes a sentence, runs commands, and writes what they print. */
  async session(sentence: string, ...runs: readonly (Run | string)[]): Promise<void> {
    const screens: string[] = [];
    for (const run of runs) screens.push(await this.#run(typeof run === 'string' ? { line: run } : run));
    this.#text += `\n${sentence}\n\n\`\`\`text\n${screens.join('\n')}\`\`\`\n`;
  }

  async #run({ line, env = this.#env, endsAfter, signal = 'SIGINT' }: Run): Promise<string> {
    const [, ...args] = line
      .split(' ')
      .map((word) => word.replace(/^'(.*)'$/, '$1').replace(/^\/data\b/, this.#folder));
    const running = start(args, env, this.#folder);
    const whole = ended(running);
    // It may end by itself before that.
    await Promise.race([endsAfter?.(running), whole]);
    if (endsAfter !== undefined) running.kill(signal);
    const { code, output, errors } = await whole;
    const key = endsAfter === undefined ? '' : (KEYS[signal] ?? '');
    const exit = code === 0 || code === null ? '' : `# exit code ${code}\n`;
    const shown = endsAfter === firstOutput ? output + key : key + output;
    let screen = `$ ${line}\n${errors}${shown}${exit}`;
    for (const [text, place] of this.#places) screen = screen.replaceAll(text, place);
    return screen;
  }
}

/** What must be the same in each run: not the figures, and not how often progress was told. */
export function withoutFigures(text: string): string {
  return text
    .replace(/^.* of .* events? \(\d+%\), .*\n|^no events yet\n/gm, '')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16}\b/g, 'ID')
    .replace(/\d[\d,.:TZ-]*( (B|kB|MB|GB|TB|ms|s|min|h|d)\b)*/g, 'N')
    .replace(/\b(events|files|records|dead letters|places)\b/g, (noun) => noun.slice(0, -1))
    .replace(/bytes N to N(, N to N)*( and N more place)?/g, 'bytes')
    .replace(/ +/g, ' ')
    .replace(/N( N)+/g, 'N');
}

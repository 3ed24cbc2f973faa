import pc from 'picocolors';
import { type Progress, ProgressBar, ProgressLines } from './progress.ts';
import { tableLines } from './table.ts';
import { wrap } from './wrapping.ts';

const WIDTH = 76;

/** Writes headings, sentences, progress and tables, to a terminal or a file. */
export class Screen {
  readonly #stream: NodeJS.WriteStream;
  readonly #isTerminal: boolean;
  readonly #colors: ReturnType<typeof pc.createColors>;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#isTerminal = stream.isTTY === true && process.env.TERM !== 'dumb';
    this.#colors = pc.createColors(this.#isTerminal && pc.isColorSupported);
  }

  title(text: string): void {
    this.line(this.#colors.bold(text));
  }

  heading(text: string): void {
    this.line('');
    this.line(this.#colors.bold(this.#colors.cyan(text)));
  }

  /** Writes a paragraph, broken into lines. */
  say(text: string): void {
    for (const line of wrap(text, WIDTH - 2)) this.line(`  ${line}`);
  }

  check(passed: boolean, text: string): void {
    const mark = passed ? this.#colors.green('✓') : this.#colors.red('✗');
    for (const [index, line] of wrap(text, WIDTH - 4).entries())
      this.line(`  ${index === 0 ? mark : ' '} ${line}`);
  }

  table(rows: readonly (readonly string[])[]): void {
    for (const line of tableLines(rows)) this.line(`    ${line}`);
  }

  /** Shows a value that grows from `start` to `total`. `note` says what is counted, until the first update. */
  progress(total: number, start: number, note: string): Progress {
    if (this.#isTerminal) return new ProgressBar(this.#stream, this.#colors.cyan, { total, start, note });
    return new ProgressLines((line) => this.line(`  ${line}`), { total, start });
  }

  line(text: string): void {
    this.#stream.write(`${text}\n`);
  }
}

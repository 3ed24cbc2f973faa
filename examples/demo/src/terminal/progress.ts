import cliProgress from 'cli-progress';
import { formatCount } from './numbers.ts';

/** Shows a value that grows to a total. After disposal, its last state stays on the screen. */
export interface Progress extends Disposable {
  update(value: number, note: string): void;
}

interface Span {
  readonly total: number;
  readonly start: number;
  readonly note: string;
}

const BAR_WIDTH = 24;
const FRAMES_PER_S = 25;
const STEPS = 4;

/** A progress bar that is redrawn in place. */
export class ProgressBar implements Progress {
  readonly #bar: cliProgress.SingleBar;

  constructor(stream: NodeJS.WriteStream, paint: (text: string) => string, { total, start, note }: Span) {
    this.#bar = new cliProgress.SingleBar({
      stream,
      format: `  ${paint('{bar}')}  {value} of {total} {note}`,
      barsize: BAR_WIDTH,
      barCompleteChar: '█',
      barIncompleteChar: '░',
      fps: FRAMES_PER_S,
      hideCursor: true,
      formatValue: (value, _, type) =>
        type === 'value' ? formatCount(value).padStart(formatCount(total).length) : formatCount(value),
    });
    this.#bar.start(total, start, { note });
  }

  update(value: number, note: string): void {
    this.#bar.update(value, { note });
  }

  [Symbol.dispose](): void {
    this.#bar.stop();
  }
}

/** Progress as lines, if nothing can be redrawn in place: one line for each quarter of the way, and one for the last state. */
export class ProgressLines implements Progress {
  readonly #write: (line: string) => void;
  readonly #total: number;
  readonly #step: number;
  #next: number;
  #line = '';
  #written = '';

  constructor(write: (line: string) => void, { total, start }: Omit<Span, 'note'>) {
    this.#write = write;
    this.#total = total;
    this.#step = Math.max(1, (total - start) / STEPS);
    this.#next = start + this.#step;
  }

  update(value: number, note: string): void {
    this.#line = `${formatCount(value)} of ${formatCount(this.#total)} ${note}`;
    if (value < this.#next) return;
    while (this.#next <= value) this.#next += this.#step;
    this.#flush();
  }

  [Symbol.dispose](): void {
    this.#flush();
  }

  #flush(): void {
    if (this.#line !== this.#written) this.#write(this.#line);
    this.#written = this.#line;
  }
}

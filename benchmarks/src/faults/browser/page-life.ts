import type { Expectation } from '../../processes/audit.ts';
import type { Cut } from './excuses.ts';
import type { PageTold } from './page/page-settings.ts';

/** What the harness knows about one page, from its load to its end. */
export class PageLife {
  readonly life: number;
  readonly cuts: Cut[] = [];
  readonly problems: string[] = [];
  /** Its reports of dropped events. */
  readonly drops: string[] = [];
  readonly storageFailures: string[] = [];
  tracked = 0;
  durable = 0;
  /** How many events it reported as dropped. */
  dropped = 0;

  constructor(life: number) {
    this.life = life;
  }

  /** The events of this page that must arrive. */
  get expectation(): Expectation {
    return { life: this.life, count: this.durable };
  }

  hear(told: PageTold): void {
    const { life } = this;
    if (told.type === 'books') {
      this.tracked = told.tracked;
      this.durable = told.durable;
    } else if (told.type === 'dropped') {
      this.dropped += told.count;
      this.drops.push(`page ${life}: dropped ${told.count} events: ${told.reason}`);
    } else if (told.type === 'problem') {
      this.problems.push(`page ${life}: ${told.what}`);
    } else if (told.type === 'storageFailed') {
      this.storageFailures.push(`page ${life}: ${told.what}`);
    }
  }

  /** From now on, the page may not learn the outcome of its requests. */
  cutOff(): void {
    this.cuts.push({ from: performance.now(), to: Number.POSITIVE_INFINITY });
  }

  /** The page was put aside and is back. */
  goOn(): void {
    for (const cut of this.cuts) cut.to = Math.min(cut.to, performance.now());
  }
}

import type { Expectation } from '../../processes/audit.ts';
import { ForkedProcess } from '../../processes/forked-process.ts';
import type { MemberSettings, MemberTold } from './messages.ts';

const SCRIPT = new URL('./member-process.js', import.meta.url);

/** A process of the fleet, as its parent uses it. The parent remembers which events it reported as durable. */
export class Member implements AsyncDisposable {
  readonly settings: MemberSettings;
  readonly #process: ForkedProcess<MemberTold>;
  readonly #heard: Promise<void>;
  readonly #durable: { from: number; to: number }[] = [];
  readonly #rolledBack: number[] = [];
  /** What went wrong in it, one line each. */
  readonly problems: string[] = [];
  /** Resolves when it has begun, or has ended. */
  readonly started: Promise<void>;

  constructor(settings: MemberSettings) {
    this.settings = settings;
    this.#process = new ForkedProcess<MemberTold>(SCRIPT, settings);
    let start: () => void = () => {};
    this.started = new Promise((resolve) => {
      start = resolve;
    });
    this.#heard = this.#process.hear((told) => this.#hear(told, start)).finally(start);
  }

  /** Its events that must arrive. */
  get durable(): Expectation {
    const { life } = this.settings;
    const except: number[] = [];
    let count = 0;
    for (const { from, to } of this.#durable) {
      for (; count < from; count += 1) except.push(count);
      count = to;
    }
    return { life, count, except };
  }

  /** Its events that must never arrive. */
  get rolledBack(): Expectation {
    const never = new Set(this.#rolledBack);
    const count = Math.max(0, ...never) + 1;
    const except = Array.from({ length: count }, (_, number) => number).filter(
      (number) => !never.has(number),
    );
    return { life: this.settings.life, count, except };
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.signal(name);
  }

  /** Kills it. Resolves once it has ended and all its messages were read. */
  async kill(): Promise<void> {
    this.#process.signal('SIGKILL');
    await this.#process.ended();
    await this.#heard;
  }

  /** Lets it finish. It must end without an error. */
  async finish(): Promise<void> {
    this.#process.tell({ type: 'finish' });
    const ending = await this.#process.ended();
    await this.#heard;
    if (ending !== 'exit code 0')
      this.problems.push(`${this.settings.role} ${this.settings.life}: ended by ${ending}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }

  #hear(told: MemberTold, start: () => void): void {
    if (told.type === 'started') start();
    else if (told.type === 'durable') this.#durable.push(told);
    else if (told.type === 'problem') this.problems.push(told.what);
    else if (told.type === 'rolledBack')
      for (let number = told.from; number < told.to; number += 1) this.#rolledBack.push(number);
  }
}

import type { Random } from '../random.ts';
import type { Agenda } from './agenda.ts';
import { DiskError } from './disk-error.ts';
import type { CallKind, DiskWeather } from './disk-weather.ts';
import type { Log } from './log.ts';
import type { Pace } from './pace.ts';
import type { VirtualProcess } from './virtual-process.ts';

/** A call to the disk. */
export interface Call<Result> {
  readonly kind: CallKind;
  /** For messages and the log. */
  readonly what: string;
  perform(): Result;
  /** Does a part of the call. Used if the call fails, or if its process ends. */
  performPart?(): void;
  /** Another effect of a failure. */
  fail?(): void;
}

export interface DiskCallsOptions {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly weather: DiskWeather;
  readonly pace: Pace;
  readonly process: VirtualProcess;
  readonly log: Log;
}

const CHANGING: ReadonlySet<CallKind> = new Set(['change', 'write', 'sync']);

/** The disk calls of one process. Each takes some time, may fail, and is cut off when the process ends. */
export class DiskCalls {
  readonly #options: DiskCallsOptions;
  #changing = 0;

  constructor(options: DiskCallsOptions) {
    this.#options = options;
  }

  /** Pending calls that may change the disk. */
  get changing(): number {
    return this.#changing;
  }

  /** Makes a call. It is performed at a later moment, all at once. */
  make<Result>(call: Call<Result>): Promise<Result> {
    const { agenda, pace, process } = this.#options;
    return new Promise((resolve, reject) => {
      if (process.isDead) return reject(new DiskError('EIO', `${call.what} by a dead process`));
      const changes = CHANGING.has(call.kind) ? 1 : 0;
      this.#changing += changes;
      const end = () => {
        this.#changing -= changes;
        forget();
      };
      const appointment = agenda.add(pace(), () => {
        // The system completes the calls of a stopped process too. The process sees the result when it continues.
        tell = this.#outcome(call, resolve, reject);
        process.deliver(() => {
          end();
          tell?.();
        });
      });
      let tell: (() => void) | undefined;
      const forget = process.onEnd(() => {
        appointment.cancel();
        if (tell === undefined) this.#cutOff(call);
        reject(new DiskError('EIO', `${call.what} by a dead process`));
      });
    });
  }

  /** Makes a synchronous call. */
  makeNow<Result>(call: Call<Result>): Result {
    if (this.#options.process.isDead) throw new DiskError('EIO', call.what);
    let result: { value: Result } | undefined;
    let failure: unknown;
    const tell = this.#outcome(
      call,
      (value) => {
        result = { value };
      },
      (error) => {
        failure = error;
      },
    );
    tell();
    if (result === undefined) throw failure;
    return result.value;
  }

  #outcome<Result>(
    call: Call<Result>,
    resolve: (result: Result) => void,
    reject: (error: unknown) => void,
  ): () => void {
    const { weather, random, log } = this.#options;
    try {
      weather.check(call.kind, call.what);
    } catch (error) {
      if (random(2) === 0) call.performPart?.();
      call.fail?.();
      log?.(`disk: ${call.what}: ${String(error)}`);
      return () => reject(error);
    }
    try {
      const result = call.perform();
      log?.(`disk: ${call.what}${typeof result === 'number' ? `: ${result}` : ''}`);
      return () => resolve(result);
    } catch (error) {
      log?.(`disk: ${call.what}: ${String(error)}`);
      return () => reject(error);
    }
  }

  /** The process ends: performs all of the call, a part of it, or nothing. */
  #cutOff<Result>(call: Call<Result>): void {
    const { random, log } = this.#options;
    const share = ['nothing', 'a part', 'all'][random(3)];
    log?.(`disk: ${share} of ${call.what}, cut off`);
    try {
      if (share === 'all') call.perform();
      else if (share === 'a part') call.performPart?.();
    } catch {
      // The call would have failed.
    }
  }
}

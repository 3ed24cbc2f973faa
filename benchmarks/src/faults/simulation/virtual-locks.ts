import type { Locks } from '@sluice/core/file-journal';
import type { Agenda } from './agenda.ts';
import { DiskError } from './disk-error.ts';
import type { DiskWeather } from './disk-weather.ts';
import type { Pace } from './pace.ts';
import type { VirtualProcess } from './virtual-process.ts';

interface Lock {
  readonly madeAt: number;
  holder: VirtualProcess | undefined;
  readonly onVisit: () => void;
}

/** The locks of a machine, as the system keeps them. The lock of a dead process has no holder, but its name remains. */
export class LockTable {
  readonly #locks = new Map<string, Lock>();

  /** The names of locks, as a listing of the directory shows them. */
  namesIn(directory: string): string[] {
    const prefix = `${directory}/`;
    const paths = [...this.#locks.keys()].filter((path) => path.startsWith(prefix));
    return paths.map((path) => `${path.slice(prefix.length)}.lock`);
  }

  get(path: string): Lock | undefined {
    return this.#locks.get(path);
  }

  set(path: string, lock: Lock): void {
    this.#locks.set(path, lock);
  }

  delete(path: string): void {
    this.#locks.delete(path);
  }
}

export interface VirtualLocksOptions {
  readonly table: LockTable;
  readonly agenda: Agenda;
  readonly pace: Pace;
  readonly weather: DiskWeather;
  readonly process: VirtualProcess;
}

/** The locks, as one process uses them. */
export class VirtualLocks implements Locks {
  readonly #options: VirtualLocksOptions;

  constructor(options: VirtualLocksOptions) {
    this.#options = options;
  }

  async hold(directory: string, name: string, onVisit: () => void): ReturnType<Locks['hold']> {
    const { table, agenda, weather, process } = this.#options;
    const path = `${directory}/${name}`;
    await this.#wait();
    weather.check('change', `hold ${path}`);
    if (table.get(path) !== undefined) throw new DiskError('EEXIST', `hold ${path}`);
    const lock: Lock = { madeAt: agenda.now, holder: process, onVisit };
    table.set(path, lock);
    process.onEnd(() => {
      lock.holder = undefined;
    });
    return {
      release: async () => {
        await this.#wait();
        table.delete(path);
      },
    };
  }

  async isHeld(directory: string, name: string): Promise<boolean> {
    const { table, agenda, pace } = this.#options;
    await this.#wait();
    const lock = table.get(`${directory}/${name}`);
    const holder = lock?.holder;
    if (holder === undefined) return false;
    agenda.add(pace(), () => holder.deliver(() => lock?.onVisit()));
    return true;
  }

  async discard(directory: string, name: string, minAgeMs: number): Promise<void> {
    const { table, agenda } = this.#options;
    await this.#wait();
    const path = `${directory}/${name}`;
    const lock = table.get(path);
    if (lock !== undefined && agenda.now - lock.madeAt >= minAgeMs) table.delete(path);
  }

  /** Resolves some time later. Rejects if the process has ended. */
  #wait(): Promise<void> {
    const { agenda, pace, process } = this.#options;
    return new Promise((resolve, reject) => {
      const fail = () => reject(new DiskError('EIO', 'use a lock'));
      if (process.isDead) return fail();
      const forget = process.onEnd(() => {
        appointment.cancel();
        fail();
      });
      const appointment = agenda.add(pace(), () => {
        process.deliver(() => {
          forget();
          resolve();
        });
      });
    });
  }
}

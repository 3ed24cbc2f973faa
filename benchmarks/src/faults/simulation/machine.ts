import type { DeliveryPolicy } from '@sluice/core';
import type { Random } from '../random.ts';
import { Agenda } from './agenda.ts';
import type { CoreUnderTest } from './core-under-test.ts';
import { DiskCalls } from './disk-calls.ts';
import { DiskWeather } from './disk-weather.ts';
import type { Log } from './log.ts';
import { Model } from './model.ts';
import { MountedDisk } from './mounted-disk.ts';
import { NetworkWeather } from './network-weather.ts';
import { createPace, type Pace } from './pace.ts';
import { JOURNAL_DIRECTORY } from './settings.ts';
import { VirtualClock } from './virtual-clock.ts';
import { VirtualDisk } from './virtual-disk.ts';
import { LockTable, VirtualLocks } from './virtual-locks.ts';
import type { VirtualProcess } from './virtual-process.ts';
import { VirtualService } from './virtual-service.ts';
import { VirtualTransport } from './virtual-transport.ts';

/** The parts of its machine that a process uses. */
export interface Surroundings {
  readonly clock: VirtualClock;
  readonly calls: DiskCalls;
  readonly fs: MountedDisk;
  readonly locks: VirtualLocks;
  readonly transport: VirtualTransport;
}

/** The machine of a schedule, and the service that it reaches. */
export class Machine {
  readonly core: CoreUnderTest;
  readonly random: Random;
  readonly log: Log;
  readonly agenda: Agenda;
  readonly model: Model = new Model();
  /** How often a process ended during its work, although it had closed its tracker. */
  cutOffs = 0;
  /** Whether there is little space for journals: events that do not fit are not durable. */
  isScarce = false;
  readonly disk: VirtualDisk = new VirtualDisk();
  readonly diskWeather: DiskWeather;
  readonly networkWeather: NetworkWeather;
  readonly service: VirtualService;
  readonly #table = new LockTable();
  readonly #diskPace: Pace;
  readonly #networkPace: Pace;

  constructor(core: CoreUnderTest, random: Random, log: Log) {
    this.core = core;
    this.random = random;
    this.agenda = new Agenda(random);
    this.log = log && ((line) => log(`${(this.agenda.now % 1e9).toFixed(3)} ${line}`));
    this.diskWeather = new DiskWeather(random);
    this.networkWeather = new NetworkWeather(random);
    this.service = new VirtualService(this.model, random);
    this.#diskPace = createPace(random);
    this.#networkPace = createPace(random);
  }

  surround(process: VirtualProcess, client: number, policy: DeliveryPolicy = {}): Surroundings {
    const { agenda, random, disk, model, log } = this;
    const weather = this.diskWeather;
    const pace = this.#diskPace;
    const calls = new DiskCalls({ agenda, random, weather, pace, process, log });
    const locksIn = (path: string) => this.#table.namesIn(path);
    return {
      clock: new VirtualClock(agenda, process),
      calls,
      fs: new MountedDisk({ disk, calls, weather, random, locksIn }),
      locks: new VirtualLocks({ table: this.#table, agenda, pace, weather, process }),
      transport: new VirtualTransport({
        ...{ agenda, process, client, policy, model, log, service: this.service },
        ...{ pace: this.#networkPace, weather: this.networkWeather },
      }),
    };
  }

  /** Makes the journal directory, and syncs it. */
  prepare(): void {
    this.disk.makeDirectory(JOURNAL_DIRECTORY);
    this.disk.syncAll();
  }

  /** May be called only after all its processes have ended. */
  cutPower(): void {
    this.log?.('power cut');
    this.disk.cutPower(this.random);
    this.model.powerCut();
  }
}

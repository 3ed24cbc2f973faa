import { Application } from './application.ts';
import type { Machine } from './machine.ts';
import type { Settings } from './settings.ts';

/** How the processes of a life end. `apart`: each in its own way; otherwise all together. */
type Ending = 'apart' | 'power cut' | 'exit';

export interface LifePlan {
  readonly applications: readonly Settings[];
  readonly ending: Ending;
  readonly lengthMs: number;
  /** Whether processes may be killed. */
  readonly kills: boolean;
}

/** One or more processes on one journal directory, from the start of the first one to the end of the last one. */
export class Life {
  readonly #machine: Machine;
  readonly #plan: LifePlan;
  readonly #firstNumber: number;
  readonly #running = new Set<Application>();
  #coming: number;
  readonly #ended: Application[] = [];
  /** How many bad events may still come. With more, the tracker would blame the service. */
  #badLeft = 3;
  crashes = 0;

  constructor(machine: Machine, plan: LifePlan, firstNumber: number) {
    this.#machine = machine;
    this.#plan = plan;
    this.#firstNumber = firstNumber;
    this.#coming = plan.applications.length;
    const { agenda, random } = machine;
    const { applications, ending, lengthMs } = plan;
    for (const [index, settings] of applications.entries()) {
      const startMs = index === 0 ? 0 : random(lengthMs);
      agenda.add(startMs, () => this.#start(index, settings, lengthMs - startMs));
    }
    if (ending !== 'apart') agenda.add(lengthMs, () => this.#endAll(ending));
  }

  get isOver(): boolean {
    return this.#coming === 0 && this.#running.size === 0;
  }

  /** How many events its trackers have reported as dropped. */
  get dropped(): number {
    return this.#ended.reduce((total, { dropped }) => total + dropped, 0);
  }

  observe(): void {
    for (const application of this.#running) {
      application.observe();
      if (application.process.isDead) this.#end(application);
    }
  }

  /** Ends all running processes. What follows does not matter any more. */
  abandon(): void {
    for (const application of this.#running) application.end();
  }

  #start(index: number, settings: Settings, leftMs: number): void {
    const { agenda, random } = this.#machine;
    this.#coming -= 1;
    const application = new Application(this.#firstNumber + index, this.#machine, settings);
    this.#running.add(application);
    const at = (delayMs: number, act: () => void) =>
      agenda.add(delayMs, () => application.process.deliver(act));
    for (let bursts = 1 + random(4); bursts > 0; bursts -= 1) {
      at(random(leftMs), () => this.#track(application, 1 + random(7)));
    }
    for (let calls = random(4); calls > 0; calls -= 1) {
      at(random(leftMs), () => {
        if (random(3) > 0) application.durable();
        else application.flush({ timeoutMs: random(2_000) });
      });
    }
    const { networkWeather } = this.#machine;
    if (networkWeather.key !== undefined) {
      at(random(leftMs), () => application.setApiKey(networkWeather.key ?? ''));
    }
    if (random(6) === 0) {
      at(random(leftMs), () => {
        application.stop();
        agenda.add(random(2 * leftMs), () => application.goOn());
      });
    }
    if (this.#plan.ending !== 'apart') return;
    if (this.#plan.kills && random(2) === 0) agenda.add(leftMs, () => this.#kill(application));
    else at(leftMs, () => application.close(random(3) === 0 ? 0 : random(8_000)));
  }

  #track(application: Application, count: number): void {
    for (let number = 0; number < count; number += 1) {
      const isBad = this.#badLeft > 0 && this.#machine.random(32) === 0;
      if (isBad) this.#badLeft -= 1;
      application.track(isBad);
    }
  }

  #kill(application: Application): void {
    application.log?.('is killed');
    this.crashes += 1;
    application.end();
  }

  #endAll(ending: 'power cut' | 'exit'): void {
    const { core, log } = this.#machine;
    this.crashes += 1;
    this.#coming = 0;
    log?.(ending);
    if (ending === 'exit') {
      for (const application of this.#running) application.goOn();
      core.exit();
      for (const application of this.#running) application.exit();
      return;
    }
    for (const application of this.#running) application.end();
    this.#machine.cutPower();
  }

  #end(application: Application): void {
    this.#running.delete(application);
    this.#ended.push(application);
  }
}

import { createRandom, type Random } from '../random.ts';
import { Application } from './application.ts';
import type { CoreUnderTest } from './core-under-test.ts';
import { Life, type LifePlan } from './life.ts';
import type { Log } from './log.ts';
import { Machine } from './machine.ts';
import type { Verdict } from './model.ts';
import type { Mood } from './network-weather.ts';
import { drawSettings, patientSettings } from './settings.ts';

/** More than any schedule needs to end. */
const MOST_STEPS = 50_000;
const NOTHING: Verdict = { durable: 0, lost: 0, duplicates: 0 };
/** Possible numbers of lives before the last one. */
const LIVES = [1, 1, 1, 2, 2, 3, 4];
/** The smallest limit of a body. Few single events exceed it: with many, the tracker would blame the service. */
const LEAST_BODY_BYTES = 560;
const MOODS: readonly Mood[] = ['well', 'moody', 'away', 'wrong'];
const DRAIN_MS = 60 * 60_000;
/** How often the last application tracks an event. */
const TRACK_MS = 30_000;
/** A segment that a process must still deliver. */
const SEGMENT = /\/[0-9a-f.]+\/\d+\.segment$/;

/** What can go wrong in a schedule. */
interface Troubles {
  readonly crashes: boolean;
  readonly disk: 'works' | 'unreliable' | 'breaks down' | 'small';
  readonly network: boolean;
  readonly budget: boolean;
  /** Whether the service refuses large bodies. */
  readonly size: boolean;
}

interface Observed {
  observe(): void;
  abandon(): void;
}

/** Runs a schedule, as its seed decides, from the first process to the delivery of the last event. */
export class Schedule {
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #troubles: Troubles;
  #applications = 0;
  #crashes = 0;
  #dropped = 0;

  constructor(core: CoreUnderTest, seed: number, log?: Log) {
    this.#random = createRandom(seed);
    this.#machine = new Machine(core, this.#random, log);
    this.#troubles = drawTroubles(this.#random);
    if (this.#troubles.size) this.#machine.service.mostBytes = LEAST_BODY_BYTES + this.#random(1_500);
    this.#machine.isScarce = this.#troubles.budget || this.#troubles.disk === 'small';
  }

  async run(): Promise<Verdict & { problems: readonly string[] }> {
    const { model, diskWeather, log } = this.#machine;
    log?.(`troubles: ${JSON.stringify(this.#troubles)}`);
    if (this.#random(2) === 0) this.#machine.prepare();
    const lives = LIVES[this.#random(LIVES.length)] ?? 1;
    for (let life = 0; life < lives && model.problems.length === 0; life += 1) await this.#live();
    if (model.problems.length === 0) await this.#drain();
    if (model.problems.length > 0) return { ...NOTHING, problems: model.problems };
    const { isScarce, cutOffs } = this.#machine;
    const excuses = {
      crashes: this.#crashes + cutOffs > 0,
      faults: diskWeather.faults > 0,
      scarcity: isScarce,
    };
    const verdict = model.verdict(this.#dropped, excuses);
    return { ...verdict, problems: model.problems };
  }

  async #live(): Promise<void> {
    const { agenda, diskWeather, networkWeather, disk } = this.#machine;
    const random = this.#random;
    const plan = this.#plan();
    const { lengthMs } = plan;
    const { disk: trouble, network } = this.#troubles;
    if (network) networkWeather.mood = MOODS[random(MOODS.length)] ?? 'well';
    if (network) networkWeather.key = random(4) === 0 ? 'key-of-now' : undefined;
    if (trouble === 'unreliable') {
      // A sync that fails once and then succeeds is the worst that a disk can do.
      if (random(3) === 0) diskWeather.turnUnreliable(2 + random(8), 'sync');
      else diskWeather.turnUnreliable(10 + random(200));
    }
    if (trouble === 'small') disk.capacity = random(8_000);
    if (trouble === 'breaks down') {
      const from = random(lengthMs);
      agenda.add(from, () => diskWeather.breakDown());
      agenda.add(from + random(lengthMs), () => diskWeather.endOutage());
    }
    const life = new Life(this.#machine, plan, this.#applications);
    this.#applications += plan.applications.length;
    await this.#until(life, () => life.isOver);
    this.#crashes += life.crashes;
    this.#dropped += life.dropped;
  }

  /** The last life, with a disk and a service that work: it delivers all remaining events. */
  async #drain(): Promise<void> {
    const { agenda, disk, diskWeather, networkWeather, model, log } = this.#machine;
    log?.('last life');
    disk.capacity = Number.POSITIVE_INFINITY;
    diskWeather.clear();
    networkWeather.mood = 'well';
    networkWeather.key = undefined;
    const application = new Application(this.#applications, this.#machine, patientSettings(this.#random));
    // An event is at fault only if the service accepts newer ones: so some must come.
    const track = () => {
      application.track(false);
      next = agenda.add(TRACK_MS, track);
    };
    let next = agenda.add(TRACK_MS, track);
    application.flush({ timeoutMs: DRAIN_MS }, () => {
      next.cancel();
      application.flush({ timeoutMs: DRAIN_MS }, () => {
        if (!application.isIdle) model.problem('the last life could not deliver all that was left');
        application.close(0);
      });
    });
    await this.#until(application, () => application.process.isDead);
    next.cancel();
    this.#dropped += application.dropped;
    const left = [...disk.files()].filter((path) => SEGMENT.test(path));
    // If the end of the process cut off the last calls, the next one would remove them.
    if (left.length > 0 && !application.wasCutOff) model.problem(`left on the disk: ${left.join(', ')}`);
  }

  /** Runs step by step until it is over, and checks `observed` after each step. */
  async #until(observed: Observed, isOver: () => boolean): Promise<void> {
    const { agenda, model } = this.#machine;
    for (let step = 0; !isOver() && model.problems.length === 0; step += 1) {
      if (step === MOST_STEPS || !agenda.next()) model.problem('it does not come to an end');
      await settled();
      observed.observe();
    }
    observed.abandon();
    await settled();
  }

  #plan(): LifePlan {
    const random = this.#random;
    const { crashes, budget } = this.#troubles;
    const applications = Array.from({ length: random(3) === 0 ? 2 : 1 }, () => drawSettings(random, budget));
    const ending = crashes
      ? (['apart', 'apart', 'power cut', 'power cut', 'exit'] as const)[random(5)]
      : 'apart';
    const lengthMs = [5, 50, 500, 5_000, 50_000][random(5)] ?? 500;
    return { applications, ending: ending ?? 'apart', lengthMs, kills: crashes };
  }
}

function drawTroubles(random: Random): Troubles {
  const disk = (['unreliable', 'breaks down', 'small'] as const)[random(6)] ?? 'works';
  const crashes = random(4) > 0;
  const budget = random(5) === 0;
  return { crashes, disk, network: random(2) === 0, budget, size: !budget && random(3) === 0 };
}

/** Resolves once all promises have settled that need no time to pass. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

import { ForkedProcess } from '../processes/forked-process.ts';
import type { Ran, Scenario } from './processes/scenario.ts';
import type { ScenarioAsked, ScenarioTold } from './processes/scenario-process.ts';

const SCRIPT = new URL('./processes/scenario-process.js', import.meta.url);

/** A process that runs scenarios. If a scenario ends the process, a new one is started. */
export class ScenarioRunner implements AsyncDisposable {
  readonly #baseUrl: string;
  #process: ForkedProcess<ScenarioTold>;

  private constructor(baseUrl: string, process: ForkedProcess<ScenarioTold>) {
    this.#baseUrl = baseUrl;
    this.#process = process;
  }

  static async start(baseUrl: string): Promise<ScenarioRunner> {
    return new ScenarioRunner(baseUrl, await startProcess(baseUrl));
  }

  /** The report of the scenario, or how the process ended during it. */
  async run(scenario: Scenario): Promise<Ran | string> {
    const asked: ScenarioAsked = { type: 'run', ...scenario };
    this.#process.tell(asked);
    const told = await this.#process.next();
    if (told?.type === 'ran') return told;
    const ending = await this.#process.ended();
    this.#process = await startProcess(this.#baseUrl);
    return ending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}

async function startProcess(baseUrl: string): Promise<ForkedProcess<ScenarioTold>> {
  const process = new ForkedProcess<ScenarioTold>(SCRIPT, { baseUrl });
  await process.expect('ready');
  return process;
}

import { ForkedProcess } from '../../processes/forked-process.ts';
import type { SimulatingSettings, SimulatingTold } from './processes/messages.ts';

const SCRIPT = new URL('./processes/simulating-process.js', import.meta.url);

/** Runs schedules in a separate process. */
export async function simulateApart(
  settings: SimulatingSettings,
  script: URL = SCRIPT,
): Promise<SimulatingTold> {
  const process = new ForkedProcess<SimulatingTold>(script, settings);
  try {
    return await process.expect('simulated');
  } finally {
    await process[Symbol.asyncDispose]();
  }
}

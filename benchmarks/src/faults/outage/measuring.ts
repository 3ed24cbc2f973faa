import { ForkedProcess } from '../../processes/forked-process.ts';
import type { MeasuredOutage } from './measured-outage.ts';
import type { OutageSettings, OutageTold } from './processes/messages.ts';

const SCRIPT = new URL('./processes/outage-process.js', import.meta.url);
const PROCESSES = 2;

/** Measures outages in separate processes, a few at a time. Returns them in the order of the settings. */
export async function measureApart(all: readonly OutageSettings[]): Promise<MeasuredOutage[]> {
  const measured: MeasuredOutage[] = [];
  const left = [...all.entries()];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, settings] = next;
      await using process = new ForkedProcess<OutageTold>(SCRIPT, settings);
      measured[index] = await process.expect('measured');
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  return measured;
}

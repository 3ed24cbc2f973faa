import { ForkedProcess } from '../../processes/forked-process.ts';
import type { MeasuredOutage } from './measured-outage.ts';
import type { OutageSettings, OutageTold } from './processes/messages.ts';

const SCRIPT = new URL('./processes/outage-process.js', import.meta.url);
const PROCESSES = 2;

/** Measures outages in two processes, each half of them: a new process for each would compile the same code again. */
export async function measureApart({ names, ...rest }: OutageSettings): Promise<MeasuredOutage[]> {
  const work = async (first: number) => {
    const share = names.filter((_, index) => index % PROCESSES === first);
    const settings: OutageSettings = { names: share, ...rest };
    await using process = new ForkedProcess<OutageTold>(SCRIPT, settings);
    return (await process.expect('measured')).outages;
  };
  const measured = await Promise.all(Array.from({ length: PROCESSES }, (_, first) => work(first)));
  return measured.flat().sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BurstFigures, BurstSettings, BurstTold } from '../processes/burst-messages.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import { Receiving } from '../processes/receiving.ts';
import { type Size, sizeText } from '../size.ts';
import type { Subject } from '../subjects/subject.ts';
import { checkArrival } from './arrival.ts';
import type { MeasurementContext } from './measurement.ts';

const SCRIPT = new URL('../processes/burst-process.js', import.meta.url);

export interface BurstResult extends BurstFigures {
  readonly events: number;
}

export interface BurstOptions extends MeasurementContext, Size {
  readonly round: number;
}

/** Sends a burst through a subject, in a fresh process to a fresh receiver. Throws unless each event arrives once. */
export async function runBurst(
  subject: Subject,
  { events, warmUp, round, directory, execArgv, tell }: BurstOptions,
): Promise<BurstResult> {
  const { name, format } = subject;
  const journalDirectory = join(directory, 'journal');
  await using receiver = await Receiving.start([], format);
  const settings: BurstSettings = {
    ...{ subject: name, baseUrl: receiver.baseUrl, journalDirectory },
    ...{ warmUp, events },
  };
  await using process = new ForkedProcess<BurstTold>(SCRIPT, settings, execArgv);
  const measured = await process.expect('measured');
  await process.ended();
  // Only now: a receiver that has just counted is slower for a while.
  await checkArrival(receiver, warmUp + events, name);
  rmSync(journalDirectory, { recursive: true, force: true });
  const perSecond = Math.round(events / (measured.elapsedMs / 1000));
  tell(
    `round ${round + 1}, ${sizeText({ events, warmUp })} events, ${name}: ${perSecond.toLocaleString('en')}/s`,
  );
  return { ...measured, events };
}

import type { Fault } from '../fault.ts';
import { createRandom, type Random } from '../random.ts';
import { whyNoChromium } from './find-chromium.ts';
import { type Leniency, Scene } from './scene.ts';

/** Shorter than a lease: what is found at once still differs from what is found once its lease has ended. */
const SLACK_MS = 15_000;

interface Play {
  readonly scene: Scene;
  readonly tries: number;
  readonly random: Random;
  /** By how much a wait may be longer: a quick run shares the processor with others. In milliseconds. */
  readonly slackMs: number;
}

/** The result of a play, besides what its scene counts. */
interface Found extends Leniency {
  /** Figures that the row shows. */
  readonly note?: string;
}

interface Plan {
  /** How many tries. */
  readonly full: number;
  readonly quick: number;
  /** Causes the faults. Afterwards, every event that the pages reported as durable must arrive, once. */
  play(play: Play): Promise<Found | undefined>;
}

/** A fault that pages in a browser must survive. */
export function browserFault(name: string, { full, quick, play }: Plan): Fault {
  return {
    name,
    skipReason: whyNoChromium,
    async run(context) {
      await using scene = await Scene.open(context);
      const tries = context.isQuick ? quick : full;
      const slackMs = context.isQuick ? SLACK_MS : 0;
      const found = await play({ scene, tries, random: createRandom(context.seed), slackMs });
      const result = await scene.settle(tries, found);
      return { ...result, demand: found?.note ? `${result.demand}; ${found.note}` : result.demand };
    },
  };
}

/** Milliseconds as readable text in seconds. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

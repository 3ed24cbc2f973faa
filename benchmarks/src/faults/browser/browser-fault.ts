import type { Fault } from '../fault.ts';
import { createRandom, type Random } from '../random.ts';
import { whyNoChromium } from './find-chromium.ts';
import { type Leniency, Scene } from './scene.ts';

interface Play {
  readonly scene: Scene;
  readonly tries: number;
  readonly random: Random;
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
      const found = await play({ scene, tries, random: createRandom(context.seed) });
      const result = await scene.settle(tries, found);
      return { ...result, demand: found?.note ? `${result.demand}; ${found.note}` : result.demand };
    },
  };
}

/** Milliseconds as readable text in seconds. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

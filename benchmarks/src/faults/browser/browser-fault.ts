import type { Fault } from '../fault.ts';
import { createRandom, type Random } from '../random.ts';
import { whyNoChromium } from './find-chromium.ts';
import { type Leniency, Scene } from './scene.ts';

interface Play {
  readonly scene: Scene;
  readonly tries: number;
  readonly random: Random;
}

/** What a play found beyond what its scene counts. */
interface Found extends Leniency {
  /** Figures for the row. */
  readonly note?: string;
}

interface Plan {
  /** How many times. */
  readonly full: number;
  readonly quick: number;
  /** Makes things go wrong. All that the pages told as durable must then arrive, once. */
  play(play: Play): Promise<Found | undefined>;
}

/** A fault that pages in a browser have to get over. */
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

/** Milliseconds for a person to read. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

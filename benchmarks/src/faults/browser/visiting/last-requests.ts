import type { FaultContext } from '../../fault.ts';
import { LEASED_WITHIN_MS } from '../scene.ts';
import { type Engine, engines } from './engines.ts';
import { type Visited, type Visitor, visitAll } from './visitors.ts';

/** A user who comes back again and again, by way of another site, and whose pages see that the service answers. */
const RETURNING = {
  isElsewhere: true,
  thinkMs: 300,
  maxWaitMs: 100,
  latencyMs: 50,
  stayMs: LEASED_WITHIN_MS,
};
/** A user who is faster than the service. Everything is there 10 s after the last click. */
const FAST: Visitor = {
  ...{ isElsewhere: false, thinkMs: 2_500, maxWaitMs: 1_000, latencyMs: 3_000, stayMs: 10_000 },
  ...{ leaving: 'at-least-once', pages: 10, cutShare: 0 },
};
const SHARES = [0, 0.01, 0.1];
const MODES = ['at-least-once', 'once'] as const;
const VISITS = { full: 300, quick: 4 };
const TITLES = ['browser', 'visitor', 'leaving', 'cut', 'events', 'lost', 'twice', 'most copies', 'requests'];

/** What becomes of the last requests of pages. */
export interface LastRequests {
  readonly problems: readonly string[];
  readonly details: readonly (readonly string[])[];
}

/** Measures what is lost and what is doubled where the network cuts the last requests of pages, and where the service is slow. */
export async function lastRequests({ isQuick, directory, seed }: FaultContext): Promise<LastRequests> {
  const problems: string[] = [];
  const details: (readonly string[])[] = [TITLES];
  const pages = isQuick ? VISITS.quick : VISITS.full;
  const visitors: Visitor[] = MODES.flatMap((leaving) =>
    SHARES.map((cutShare) => ({ ...RETURNING, leaving, cutShare, pages })),
  );
  for (const engine of engines().slice(0, isQuick ? 1 : undefined)) {
    // WebKitGTK's MiniBrowser is a process for each visitor.
    const some = engine.name === 'webkit' ? [] : visitors;
    const all = isQuick ? some.slice(-1) : [...some, FAST];
    const found = await visitAll(engine, all, directory, seed);
    for (const [index, visited] of found.entries()) {
      const visitor = all[index] ?? FAST;
      details.push(row(engine, visitor, visited));
      if (visitor.leaving !== 'once' && visited.lost > 0)
        problems.push(`${engine.name}: ${visited.lost} events were lost`);
    }
  }
  return { problems, details };
}

function row({ name }: Engine, visitor: Visitor, visited: Visited): readonly string[] {
  const { cutShare, isElsewhere, leaving, pages } = visitor;
  const { cut, doubled, events, lost, most, requests } = visited;
  const who = isElsewhere ? `${pages} visits` : `${pages} pages, slow service`;
  const share = `${cutShare * 100} %: ${cut}`;
  return [name, who, leaving, share, ...[events, lost, doubled, most, requests].map(String)];
}

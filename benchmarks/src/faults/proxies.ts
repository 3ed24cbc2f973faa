import { join } from 'node:path';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { sumOf } from './lines.ts';
import { haproxy } from './proxies/haproxy.ts';
import { nginx } from './proxies/nginx.ts';
import { type ProxyKind, whyNoProxy } from './proxies/proxy-kind.ts';
import { type ProxyRun, runThroughProxy } from './proxies/proxy-run.ts';
import { proxyScenarios } from './proxies/proxy-scenarios.ts';

const SIZE = {
  full: { waves: 200, perWave: 50, perSecond: 50 },
  // Few enough per second that a slow machine meets the limit, too.
  quick: { waves: 20, perWave: 25, perSecond: 7 },
};

/** Reverse proxies in front of the emulator, as operators use them: they limit, time out, cut, reload and redirect. */
export const proxies: readonly Fault[] = [nginx, haproxy].map((kind) => ({
  name: kind.name,
  skipReason: whyNoProxy(kind),
  run: (context) => run(kind, context),
}));

async function run(kind: ProxyKind, { isQuick, directory }: FaultContext): Promise<FaultResult> {
  const { perSecond, ...load } = isQuick ? SIZE.quick : SIZE.full;
  const runs: ({ name: string } & ProxyRun)[] = [];
  for (const [index, scenario] of proxyScenarios(perSecond).entries()) {
    const place = { directory: join(directory, String(index)) };
    const { name } = scenario;
    runs.push({ name, ...(await runThroughProxy(kind, scenario, { ...load, ...place })) });
  }
  return {
    tries: runs.length,
    durable: sumOf(runs, ({ events, deadLettered }) => events - deadLettered),
    lost: sumOf(runs, ({ lost }) => lost),
    duplicates: sumOf(runs, ({ duplicates }) => duplicates),
    demand: '0 lost, duplicates only of requests whose outcome is unknown',
    problems: runs.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
    details: [TITLES, ...runs.map(cells)],
  };
}

const TITLES = [
  ...['scenario', 'events', 'requests', 'delivered', 'dead letters', 'lost', 'duplicates', 'seconds'],
  'other answers',
];

function cells({ name, failures, seconds, ...run }: { name: string } & ProxyRun): string[] {
  const { events, requests, delivered, deadLettered, lost, duplicates } = run;
  const numbers = [events, requests, delivered, deadLettered, lost, duplicates];
  const others = [...failures].map(([failure, count]) => `${failure} x ${count}`).sort();
  return [
    name,
    ...numbers.map((number) => number.toLocaleString('en')),
    seconds.toFixed(1),
    others.join(', '),
  ];
}

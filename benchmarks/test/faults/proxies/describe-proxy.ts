import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ProxyKind, whyNoProxy } from '../../../src/faults/proxies/proxy-kind.ts';
import { runThroughProxy } from '../../../src/faults/proxies/proxy-run.ts';
import { proxyScenarios } from '../../../src/faults/proxies/proxy-scenarios.ts';

const TIMEOUT_MS = 90_000;
const LOAD = { waves: 20, perWave: 25 };
const REQUESTS_PER_SECOND = 10;

/** What must hold whatever a proxy does, be it in the way of requests, of answers or of connections. */
export function describeProxy(kind: ProxyKind): void {
  const scratch = mkdtempSync(join(tmpdir(), `sluice-${kind.name}-`));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  describe(`a tracker with ${kind.name} between it and the service`, () => {
    const reason = whyNoProxy(kind);

    it.for(proxyScenarios(REQUESTS_PER_SECOND))(
      'delivers all, and both ends agree: $name',
      { timeout: TIMEOUT_MS },
      async (scenario, { skip }) => {
        skip(reason !== undefined, reason);
        const directory = mkdtempSync(join(scratch, 'run-'));
        const run = await runThroughProxy(kind, scenario, { ...LOAD, directory });
        expect(run).toMatchObject({ lost: 0, problems: [] });
        expect(run.delivered + run.deadLettered).toBe(run.events);
      },
    );
  });
}

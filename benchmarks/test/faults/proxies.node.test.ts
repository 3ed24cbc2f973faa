import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { haproxy } from '../../src/faults/proxies/haproxy.ts';
import { nginx } from '../../src/faults/proxies/nginx.ts';
import { whyNoProxy } from '../../src/faults/proxies/proxy-kind.ts';
import { runThroughProxy } from '../../src/faults/proxies/proxy-run.ts';
import { proxyScenarios } from '../../src/faults/proxies/proxy-scenarios.ts';

const scratch = mkdtempSync(join(tmpdir(), 'sluice-proxies-'));
const TIMEOUT_MS = 60_000;
const LOAD = { waves: 20, perWave: 25 };

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.concurrent.each([nginx, haproxy])('a tracker with $name between it and the service', (kind) => {
  const reason = whyNoProxy(kind);

  it.for(proxyScenarios(10))(
    'delivers all, and both ends agree: $name',
    { timeout: TIMEOUT_MS },
    async (scenario, { skip }) => {
      skip(reason !== undefined, reason);
      const directory = mkdtempSync(join(scratch, `${kind.name}-`));
      const run = await runThroughProxy(kind, scenario, { ...LOAD, directory });
      expect(run).toMatchObject({ lost: 0, problems: [] });
      expect(run.delivered + run.deadLettered).toBe(run.events);
    },
  );
});

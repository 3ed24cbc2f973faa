import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CoreUnderTest } from '../../src/faults/simulation/core-under-test.ts';
import { Schedule } from '../../src/faults/simulation/schedule.ts';
import { simulate } from '../../src/faults/simulation/simulate.ts';

/** A row of `npm run faults` runs thousands. */
const SCHEDULES = 10;

describe('the simulation', () => {
  const { stackTraceLimit } = Error;
  beforeEach(() => {
    Error.stackTraceLimit = 0;
  });
  afterEach(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  it('does the same for the same seed', async () => {
    const core = await CoreUnderTest.load();
    const record = async () => {
      const lines: string[] = [];
      // The names of owners are random, and nothing depends on them.
      const log = (line: string) => lines.push(line.replaceAll(/[0-9a-f]{16}/g, 'owner'));
      await new Schedule(core, 4, log).run();
      return lines;
    };
    const lines = await record();
    expect(lines.length).toBeGreaterThan(50);
    expect(await record()).toEqual(lines);
  });

  it(`finds nothing amiss in ${SCHEDULES} schedules, and forgets their trackers`, async () => {
    const listeners = process.listenerCount('exit');
    const core = await CoreUnderTest.load();
    const share = { seed: 1, first: 0, step: 1, count: SCHEDULES, mostFailures: 3 };
    const { failures, durable, duplicates } = await simulate(core, share);
    expect(failures).toEqual([]);
    expect(durable).toBeGreaterThan(SCHEDULES);
    expect(duplicates).toBeGreaterThan(0);
    expect(process.listenerCount('exit')).toBe(listeners);
  });
});

import type { EmulatorOptions } from '@sluice/emulator';
import { describe, expect, it } from 'vitest';
import { describePresets, EVENTS, expectBalanced, set, trackMany } from './presets.ts';

describePresets(['plain', 'quiet', 'legacy']);

describe('a script of faults', () => {
  it('costs a tracker no event, whatever comes after what', async () => {
    const faults: EmulatorOptions['faults'] = [
      { kind: 'latency', ms: 1, jitterMs: 20, percent: 50 },
      [
        { kind: 'reset', times: 3 },
        { kind: 'none', requests: 2 },
        { kind: 'status', status: 503, retryAfter: 1, times: 1 },
        { kind: 'reset', at: 'middle', times: 2 },
        { kind: 'down', forMs: 300 },
        { kind: 'lost-answer', times: 2 },
        { kind: 'too-large', bytes: 10_000, requests: 5 },
        { kind: 'status', status: 500, body: '<h1>oops</h1>', percent: 30, requests: 10 },
        { kind: 'hang', times: 1 },
      ],
    ];
    const { emulator, tracker } = await set(
      { faults, faultSeed: 3 },
      { batch: { maxEvents: 100 }, advanced: { headersTimeoutMs: 500 } },
    );
    trackMany(tracker);
    expect(await tracker.flush()).toEqual({ delivered: EVENTS, deadLettered: 0, dropped: 0, pending: 0 });
    expect(await emulator.countEvents()).toMatchObject({ unique: EVENTS });
    expectBalanced(tracker);
    const acted = await emulator.requests({ outcome: 'fault', limit: 1_000 });
    expect(acted.some(({ fault }) => fault?.includes('loses the answer'))).toBe(true);
  });
});

describe('limits', () => {
  it('of events and bytes are learned from a few refusals', async () => {
    const { emulator, tracker } = await set(
      { preset: 'strict', behaviour: { maxRequestsPerSecond: null } },
      { batch: { maxEvents: 500 } },
    );
    trackMany(tracker, 10_000);
    expect(await tracker.flush()).toMatchObject({ delivered: 10_000, pending: 0 });
    const refused = await emulator.requests({ outcome: 'refused', limit: 1_000 });
    expect(new Set(refused.map(({ error }) => error?.code))).toEqual(
      new Set(['too_many_events', 'body_too_large']),
    );
    expect(refused.length).toBeLessThan(20);
    expect(tracker.stats().bodyLimit).toBeLessThan(64 * 1024);
  });
});

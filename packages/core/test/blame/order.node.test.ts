import { describe, expect, it } from 'vitest';
import { measure, type Options, SCALE, SCALED } from './scenario.ts';
import { refusing, stray } from './service.ts';

const MINUTE = 60;
const options: Options = { ordering: 'per-customer' };

describe('with `per-customer`', () => {
  it('the events of a customer arrive in their order though requests fail', async () => {
    const { figures } = await measure('per customer, 5 % fail', {
      seconds: 20,
      after: MINUTE,
      arrivals: 5_000 / SCALE,
      service: stray(0.05, { status: 500 }),
      customerOf: (event) => `customer-${(event * 7_919) % 5_000}`,
      options: { ...SCALED, ...options },
    });
    expect(figures).toMatchObject({ share: 1, outOfOrder: 0, deadLetters: 0 });
  });

  it('an event of high priority is sent at once, and overtakes none of its customer', async () => {
    const { figures } = await measure('per customer, high priority', {
      seconds: 2 * MINUTE,
      after: MINUTE,
      arrivals: [{ perSecond: 60 }, { perSecond: 5, priority: 'high' }],
      service: () => ({ status: 200, latencyMs: 100 }),
      customerOf: (event) => `customer-${event % 50}`,
      options,
    });
    expect(figures).toMatchObject({ share: 1, outOfOrder: 0 });
    expect(figures.high.p99).toBeLessThanOrEqual(1_000);
  });

  it.each([403, 404])('an event that a firewall refuses with %d holds up few others', async (status) => {
    const isCulprit = (event: number) => event === 60;
    const service = refusing(isCulprit, { status, body: 'blocked' });
    const scenario = { seconds: 10 * MINUTE, after: MINUTE, arrivals: 1, service, isCulprit, options };
    const { figures, letters } = await measure(`per customer, poison ${status}`, scenario);
    expect(figures).toMatchObject({ share: 1, pending: 0, innocentDeadLetters: 0, outOfOrder: 0 });
    expect(figures.delays.max).toBeLessThanOrEqual(60_000);
    expect(letters).toEqual([[60, 'blocked']]);
  });

  it.each([400, 500])('an event at fault is found where all are of one customer: %d', async (status) => {
    const isCulprit = (event: number) => event === 100;
    const { figures } = await measure(`per customer, one customer, ${status}`, {
      seconds: 5 * MINUTE,
      after: 5 * MINUTE,
      arrivals: 1,
      service: refusing(isCulprit, { status }),
      isCulprit,
      customerOf: () => 'ada',
      options,
    });
    expect(figures).toMatchObject({ share: 1, innocentDeadLetters: 0, outOfOrder: 0 });
  });
});

import { describe, expect, it } from 'vitest';
import { few, isFull } from '../../../../testing/full.ts';
import { print } from './figures.ts';
import { measure, type Options, SCALE, SCALED } from './scenario.ts';
import { refusing, type Service, stray } from './service.ts';

const MINUTE = 60;
const SECONDS = (isFull ? 3 : 2) * MINUTE;
const BATCH = 500;
const CUSTOMERS = 5_000;

describe('with `per-customer`, the events of a customer arrive in their order', () => {
  const customerOf = (event: number) => `customer-${(event * 7_919) % CUSTOMERS}`;
  const services: [string, Service, number][] = [
    ['50 ms a request, 5 % are refused with 403', stray(0.05, { status: 403 }), 5_000],
    ['2 s a request', () => ({ status: 200, latencyMs: 2_000 }), 5_000],
    ['50 ms a request', stray(0, { status: 500 }), 5_000],
    ['50 ms a request, 5 % fail', stray(0.05, { status: 500 }), 5_000],
    ['10 s a request', () => ({ status: 200, latencyMs: 10_000 }), (32 * BATCH) / 10],
  ];
  it.each(few(2, services))('at 0.9 of the rate without it: %s', async (name, service, most) => {
    const options: Options = { ...SCALED, ordering: 'per-customer' };
    const scenario = { seconds: SECONDS, arrivals: 5_000 / SCALE, service, customerOf, options };
    const { figures, trial } = await measure(`per customer, ${name}`, scenario);
    const perSecond = trial.between(MINUTE, SECONDS - 12).eventsPerSecond * SCALE;
    print(`  ${Math.round(perSecond)} events/s after the first minute, of ${most}`);
    expect(figures).toMatchObject({ outOfOrder: 0, deadLetters: 0 });
    expect(perSecond).toBeGreaterThanOrEqual(0.9 * most);
  });
});

describe('with `per-customer`, an event at fault holds up few others:', () => {
  const options: Options = { ordering: 'per-customer' };

  it('one in 300 that makes the service fail', async () => {
    const isCulprit = (event: number) => event % 300 === 150;
    const service = refusing(isCulprit, { status: 500 });
    const scenario = { seconds: (isFull ? 8 : 3) * MINUTE, arrivals: 200, service, isCulprit, options };
    const { figures } = await measure('per customer, crash 1 in 300', scenario);
    expect(figures).toMatchObject({ late: 0, innocentDeadLetters: 0, dropped: 0, outOfOrder: 0 });
    expect(figures.delays.max).toBeLessThanOrEqual(30_000);
  });

  it('one in 100 that a firewall refuses', async () => {
    const isCulprit = (event: number) => event % 100 === 50;
    const service = refusing(isCulprit, { status: 403 });
    const customerOf = (event: number) => `customer-${(event * 7_919) % 1_000}`;
    const scenario = {
      seconds: 10 * MINUTE,
      after: 10 * MINUTE,
      arrivals: 20,
      service,
      isCulprit,
      customerOf,
      options,
    };
    const { figures } = await measure('per customer, 403 for 1 in 100', scenario);
    expect(figures).toMatchObject({ share: 1, innocentDeadLetters: 0, outOfOrder: 0 });
    expect(figures.delays.max).toBeLessThanOrEqual(60_000);
  });

  it('one in 100 that the service calls wrong', async () => {
    const isCulprit = (event: number) => event % 100 === 50;
    const service = refusing(isCulprit, { status: 400 });
    const scenario = {
      seconds: (isFull ? 5 : 2) * MINUTE,
      after: 20 * MINUTE,
      arrivals: 200,
      service,
      isCulprit,
      options,
    };
    const { figures } = await measure('per customer, 400 for 1 in 100', scenario);
    expect(figures).toMatchObject({ share: 1, pending: 0, innocentDeadLetters: 0, outOfOrder: 0 });
  });
});

import { describe, expect, it } from 'vitest';
import { few } from '../../../../testing/full.ts';
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

  it.each([3, 1_000])(
    'an event refused with 403 in the first batch stops nobody else: %d customers',
    async (customers) => {
      const isCulprit = (event: number) => event === 0;
      const { figures } = await measure(`per customer, first event 403, ${customers} customers`, {
        seconds: 3 * MINUTE,
        after: 3 * MINUTE,
        arrivals: 20,
        service: refusing(isCulprit, { status: 403 }),
        isCulprit,
        customerOf: (event) => `customer-${(event * 7_919) % customers}`,
        options,
      });
      expect(figures).toMatchObject({ share: 1, innocentDeadLetters: 0, outOfOrder: 0 });
      expect(figures.delays.max).toBeLessThanOrEqual(60_000);
    },
  );

  // If the first one looks like a wrong key, nothing tells that it is not.
  const firsts = [
    { status: 400, first: 0 },
    { status: 403, first: 50 },
    { status: 500, first: 0 },
  ];
  it.each(firsts)('events at fault are found where all are of one customer: $status', async (row) => {
    const { status, first } = row;
    const isCulprit = (event: number) => event % 100 === first;
    const { figures } = await measure(`per customer, one customer, 1 % ${status}`, {
      seconds: 10 * MINUTE,
      after: 10 * MINUTE,
      arrivals: 1,
      service: refusing(isCulprit, { status }),
      isCulprit,
      customerOf: () => 'ada',
      options,
    });
    expect(figures).toMatchObject({ share: 1, innocentDeadLetters: 0, outOfOrder: 0 });
  });

  it('an event that is refused becomes a dead letter where nothing else waits', async () => {
    const isCulprit = (event: number) => event === 5;
    const { figures, letters } = await measure('per customer, 400 in quiet traffic', {
      seconds: 10 * MINUTE,
      after: 10 * MINUTE,
      arrivals: 0.2,
      service: refusing(isCulprit, { status: 400, body: 'no' }),
      isCulprit,
      customerOf: () => 'ada',
      options,
    });
    expect(figures).toMatchObject({ share: 1, pending: 0, outOfOrder: 0 });
    expect(letters).toEqual([[5, 'no']]);
  });

  it('nothing overtakes where no event can be at fault: a key is revoked for half an hour', async () => {
    const { figures } = await measure('per customer, 401 for half an hour', {
      seconds: 60 * MINUTE,
      after: 60 * MINUTE,
      arrivals: 1,
      service: ({ at }) => (at > 10 * MINUTE && at < 40 * MINUTE ? 401 : 200),
      customerOf: () => 'ada',
      options,
    });
    expect(figures).toMatchObject({ share: 1, pending: 0, deadLetters: 0, outOfOrder: 0 });
  });

  // Of few customers, nothing else tells whether the service is to blame: some events are set aside.
  const kinds = [
    { customers: 12, most: 12 },
    { customers: 1, most: 12 },
    { customers: 1_000, most: 0 },
  ];
  const outages = kinds.flatMap((kind) => [400, 403, 500].map((status) => ({ status, ...kind })));
  it.each(few(3, outages))(
    'no event is a dead letter after an hour of $status: $customers customers',
    async (row) => {
      const { status, customers, most } = row;
      const { figures } = await measure(`per customer, an hour of ${status}, ${customers} customers`, {
        seconds: 90 * MINUTE,
        after: 90 * MINUTE,
        arrivals: 1,
        service: ({ at }) => (at > 10 * MINUTE && at < 70 * MINUTE ? status : 200),
        customerOf: (event) => `customer-${(event * 7_919) % customers}`,
        options,
      });
      expect(figures).toMatchObject({ share: 1, pending: 0, deadLetters: 0 });
      expect(figures.outOfOrder).toBeLessThanOrEqual(most);
      expect(figures.delays.max).toBeLessThanOrEqual(63 * MINUTE * 1_000);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { few, isFull } from '../../../../testing/full.ts';
import { percent, print } from './figures.ts';
import { measure, SCALE, SCALED, Trial } from './scenario.ts';
import { bucket, nodes, randomOf, refusing, type Seen, type Service, stray } from './service.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** At a high rate, a row runs with fewer events. */
const at = (perSecond: number) =>
  perSecond > 100 ? { arrivals: perSecond / SCALE, options: SCALED } : { arrivals: perSecond };

describe('a stray answer to one request in 200 holds up nothing:', () => {
  it.each(few(1, [404, 302, 405]))('%d', async (status) => {
    const service = stray(1 / 200, { status });
    const scenario = { seconds: (isFull ? 24 : 0.5) * HOUR, after: MINUTE, arrivals: 1, service };
    const { figures } = await measure(`stray ${status}`, scenario);
    expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0 });
    expect(figures.delays.p99).toBeLessThanOrEqual(5_000);
  });
});

describe('a refusal that is no fault of an event makes no dead letter:', () => {
  // Answers to older requests come after the first refusals, and prove nothing.
  it.each(
    few(3, [
      ...([
        [400, 2, 1],
        [413, 20, 2],
        [413, 2, 3],
      ] as const),
      ...[400, 413].flatMap((status) =>
        [2, 20].flatMap((rate) => [4, 5].map((seed) => [status, rate, seed] as const)),
      ),
    ]),
  )(
    'a service that answers %d to all, %d events/s, after answers of different lengths: seed %d',
    async (status, perSecond, seed) => {
      const random = randomOf(seed);
      const service: Service = ({ at }) => ({
        status: at < MINUTE || at > 11 * MINUTE ? 200 : status,
        latencyMs: at < MINUTE ? 50 + random() ** 3 * 5_000 : 50,
      });
      const scenario = { seconds: 2 * MINUTE, after: 40 * MINUTE, ...at(perSecond), service, seed };
      const { figures } = await measure(`all ${status} after slow answers`, scenario);
      expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0 });
    },
  );

  it('a rate limit that answers 403', async () => {
    const perSecond = 2;
    const isWithin = bucket(perSecond);
    const seconds = (isFull ? 20 : 5) * MINUTE;
    const service: Service = ({ at }) => (isWithin(at) ? 200 : 403);
    const scenario = { seconds, ...at(1_500), service };
    const { figures, trial } = await measure('limit that answers 403', scenario);
    const { accepted, eventsPerSecond } = trial.between(0, seconds);
    const used = `${percent(accepted.length / (perSecond * seconds))} of the requests`;
    print(`  used ${used}, ${percent((eventsPerSecond * SCALE) / (perSecond * 500))} of the events`);
    expect(figures).toMatchObject({ deadLetters: 0 });
  });

  // From the first minute to the second, more and more nodes know that the key is revoked.
  const revoked = (status: number): Service => {
    const random = randomOf(3);
    return ({ at, headers }: Seen) => {
      if (headers.authorization?.includes('key-2')) return 200;
      return random() < (at - MINUTE) / MINUTE ? status : 200;
    };
  };
  // Statuses and events a second.
  const revocations = [
    ...([
      [400, 1],
      [401, 10],
      [403, 2_000],
      [400, 10],
    ] as const),
    ...([
      [400, 2_000],
      [401, 1],
      [401, 2_000],
      [403, 1],
      [403, 10],
    ] as const),
  ];
  it.each(few(2, revocations))(
    'a key that is revoked over a minute: %d, at %d events/s',
    async (status, arrivals) => {
      const seconds = (isFull && arrivals <= 100 ? 15 : 3) * MINUTE;
      const { figures } = await measure(`key revoked ${status} at ${arrivals}/s`, {
        seconds,
        after: 2 * MINUTE,
        ...at(arrivals),
        service: revoked(status),
        actions: { [seconds]: ({ tracker }) => tracker.setApiKey('key-2') },
      });
      expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0, pending: 0 });
    },
  );

  it.each(few(2, [10, 2_000, 1]))(
    'a firewall that closes for ten minutes, at %d events/s',
    async (arrivals) => {
      const { figures } = await measure(`firewall closed at ${arrivals}/s`, {
        seconds: (arrivals > 100 ? 2 : 20) * MINUTE,
        after: 30 * MINUTE,
        ...at(arrivals),
        service: ({ at }) => (at >= MINUTE && at < 11 * MINUTE ? 403 : 200),
      });
      expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0, pending: 0 });
    },
  );

  it.each(few(1, [400, 404, 403]))('one node of four: %d', async (status) => {
    const service = nodes(4, { status });
    const scenario = { seconds: (isFull ? 5 : 2) * MINUTE, after: MINUTE, ...at(1_000), service };
    const { figures } = await measure(`node ${status}`, scenario);
    expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0, pending: 0 });
  });

  it.each(few(1, [1, 2_000, 200]))('all 400 after a deploy, at %d events/s', async (arrivals) => {
    const { figures } = await measure(`all 400 at ${arrivals}/s`, {
      seconds: 2 * MINUTE,
      after: 30 * MINUTE,
      ...at(arrivals),
      service: ({ at }) => (at >= MINUTE && at < 11 * MINUTE ? 400 : 200),
    });
    expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0, pending: 0 });
  });

  it.each(few(1, [0.05, 0.1, 0.01]))('a service that flickers with 400, a share of %d', async (share) => {
    const service = stray(share, { status: 400 });
    const { figures } = await measure(`flicker ${share}`, {
      seconds: 5 * MINUTE,
      after: MINUTE,
      arrivals: 200,
      service,
    });
    expect(figures).toMatchObject({ share: 1, deadLetters: 0, dropped: 0, pending: 0 });
  });

  it.each([402, 407, 421, 426, 431, 451])('%d, in processes that track five events each', async (status) => {
    let deadLetters = 0;
    let pending = 0;
    for (let process = 0; process < 5; process += 1) {
      const trial = new Trial({ seconds: 5, after: 10 * MINUTE, arrivals: 1, service: () => status });
      await trial.run();
      deadLetters += trial.stats().deadLettered;
      pending += trial.stats().pending;
      await trial.close();
    }
    print(`five processes, five events each, ${status}: ${deadLetters} dead letters, ${pending} pending`);
    expect({ deadLetters, pending }).toEqual({ deadLetters: 0, pending: 25 });
  });
});

describe('events that the service refuses with 400 are found exactly:', () => {
  it.each(few(2, [0.05, 0.2, 0.01]))('a share of %d', async (share) => {
    const seconds = (isFull ? 5 : 0.5) * MINUTE;
    // What comes last shows that the service works.
    const isCulprit = (event: number) => event < 200 * (seconds - 10) && randomOf(event)() < share;
    const service = refusing(isCulprit, { status: 400 });
    const scenario = { seconds, after: 20 * MINUTE, arrivals: 200, service, isCulprit };
    const { figures } = await measure(`bad events ${share}`, scenario);
    expect(figures).toMatchObject({ share: 1, innocentDeadLetters: 0, dropped: 0 });
    // With more, the service may be the one at fault.
    if (share <= 0.05) expect(figures).toMatchObject({ deadLetters: figures.culprits, pending: 0 });
  });
});

import { describe, expect, it } from 'vitest';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { type Logger, logger as loggerPart } from '../../src/parts/logger.ts';
import type { Tell } from '../../src/tell/reporter.ts';

class Lines implements Logger {
  readonly lines: [level: string, data: object, message: string][] = [];

  debug(data: object, message: string): void {
    this.lines.push(['debug', data, message]);
  }
  info(data: object, message: string): void {
    this.lines.push(['info', data, message]);
  }
  warn(data: object, message: string): void {
    this.lines.push(['warn', data, message]);
  }
  error(data: object, message: string): void {
    this.lines.push(['error', data, message]);
  }
}

interface Bench {
  readonly log: Tell;
  readonly clock: VirtualClock;
  readonly failures: unknown[];
}

function create(logger: Logger, now?: () => number): Bench {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const { log } = loggerPart(
    { logger },
    now ? { now, setTimeout: () => ({ cancel: () => {} }) } : clock,
    (text) => text.replaceAll('canary', '[key]'),
    (callback, error) => failures.push(callback === 'logger' ? error : callback),
  );
  return { log: log || expect.fail(), clock, failures };
}

describe('a log', () => {
  it('is written with data and message, at its level', () => {
    const logger = new Lines();
    const { log } = create(logger);
    log('requestFailed', { one: 1 });
    log('resumed', {});
    log('dropped', { reason: 'closed' });
    log('paused', {});
    log('request', {});
    expect(logger.lines).toEqual([
      ['debug', { one: 1 }, 'sluice request failed'],
      ['info', {}, 'sluice resumed'],
      ['warn', { reason: 'closed' }, 'sluice dropped: closed'],
      ['error', {}, 'sluice paused'],
    ]);
  });

  it('has a message at once, and then no more than once in ten seconds, with how many were left out', async () => {
    const logger = new Lines();
    const { log, clock } = create(logger);
    for (let second = 0; second < 25; second += 1) {
      log('dropped', { second });
      log('dropped', { second });
      await clock.advance(1_000);
    }
    expect(logger.lines.map(([, data]) => data)).toEqual([
      { second: 0 },
      { second: 10, suppressed: 19 },
      { second: 20, suppressed: 19 },
    ]);
  });

  it('has each message by itself', () => {
    const logger = new Lines();
    const { log } = create(logger);
    for (const event of ['recovered', 'resumed', 'recovered', 'resumed']) log(event, {});
    expect(logger.lines.map(([, , message]) => message)).toEqual(['sluice recovered', 'sluice resumed']);
  });

  it('goes on where the time of day is set back', () => {
    const logger = new Lines();
    let now = 1_000_000;
    const { log } = create(logger, () => now);
    log('resumed', {});
    now = 500_000;
    log('resumed', {});
    expect(logger.lines).toHaveLength(2);
  });

  it('shows no key, in texts nor in errors and their causes', () => {
    const logger = new Lines();
    const { log } = create(logger);
    const cause = Object.assign(new Error('sent canary'), { code: 'E_canary', request: 'canary' });
    log('callbackFailed', { error: new Error('canary failed', { cause }), place: 'at canary', count: 3 });
    const [[, data] = []] = logger.lines;
    const { err, ...rest } = data as { err: Error };
    expect(err.message).toBe('[key] failed');
    expect(err.stack).toContain('logger.test');
    expect(err.stack).not.toContain('canary');
    expect(err.cause).toMatchObject({ message: 'sent [key]', code: 'E_[key]' });
    expect(err.cause).not.toHaveProperty('request');
    expect(rest).toEqual({ place: 'at [key]', count: 3 });
  });

  it('that causes what it is told of is not told of it without end', () => {
    let lines = 0;
    const { log } = create({
      ...new Lines(),
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: () => {
        lines += 1;
        log('dropped', {});
      },
    });
    log('dropped', {});
    expect(lines).toBe(1);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('the disk of the logs is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the disk of the logs is full'))],
  ])('that %s stops nothing', async (_, error) => {
    const logger = Object.assign(new Lines(), { error });
    const { log, failures } = create(logger);
    log('paused', {});
    log('resumed', {});
    await settle();
    expect(failures).toEqual([new Error('the disk of the logs is full')]);
    expect(logger.lines).toEqual([['info', {}, 'sluice resumed']]);
  });
});

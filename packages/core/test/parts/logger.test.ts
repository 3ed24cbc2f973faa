import { describe, expect, it } from 'vitest';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { Log, type Logger } from '../../src/parts/logger.ts';

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
  readonly log: Log;
  readonly clock: VirtualClock;
  readonly failures: unknown[];
}

function create(logger: Logger): Bench {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const log = new Log({
    ...{ logger, clock, onFailed: (error) => failures.push(error) },
    redact: (text) => text.replaceAll('canary', '[key]'),
  });
  return { log, clock, failures };
}

describe('a log', () => {
  it('is written with data and message, at its level', () => {
    const logger = new Lines();
    const { log } = create(logger);
    log.write('debug', { one: 1 }, 'first');
    log.write('info', {}, 'second');
    log.write('warn', {}, 'third');
    log.write('error', {}, 'fourth');
    expect(logger.lines).toEqual([
      ['debug', { one: 1 }, 'first'],
      ['info', {}, 'second'],
      ['warn', {}, 'third'],
      ['error', {}, 'fourth'],
    ]);
  });

  it('has a message at once, and then no more than once in ten seconds, with how many were left out', async () => {
    const logger = new Lines();
    const { log, clock } = create(logger);
    for (let second = 0; second < 25; second += 1) {
      log.write('warn', { second }, 'again');
      log.write('warn', { second }, 'again');
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
    for (const message of ['one', 'other', 'one', 'other']) log.write('info', {}, message);
    expect(logger.lines.map(([, , message]) => message)).toEqual(['one', 'other']);
  });

  it('goes on where the time of day is set back', () => {
    const logger = new Lines();
    let now = 1_000_000;
    const clock = { now: () => now, setTimeout: () => ({ cancel: () => {} }) };
    const log = new Log({ logger, clock, redact: (text) => text, onFailed: () => {} });
    log.write('info', {}, 'again');
    now = 500_000;
    log.write('info', {}, 'again');
    expect(logger.lines).toHaveLength(2);
  });

  it('shows no key, in texts nor in errors and their causes', () => {
    const logger = new Lines();
    const { log } = create(logger);
    const cause = Object.assign(new Error('sent canary'), { code: 'E_canary', request: 'canary' });
    log.write(
      'error',
      { err: new Error('canary failed', { cause }), place: 'at canary', count: 3 },
      'failed',
    );
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
        log.write('warn', {}, 'again');
      },
    });
    log.write('warn', {}, 'again');
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
    log.write('error', {}, 'failed');
    log.write('info', {}, 'goes on');
    await settle();
    expect(failures).toEqual([new Error('the disk of the logs is full')]);
    expect(logger.lines).toEqual([['info', {}, 'goes on']]);
  });
});

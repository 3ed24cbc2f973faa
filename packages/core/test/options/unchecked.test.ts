import { type ConfigError, isSluiceError } from '@sluice/protocol';
import { systemClock } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { createWith, defaults } from '#engine';
import { bounds } from '#parts';
import { PATIENCE } from '../../../../testing/patience.ts';
import type { TrackerOptions } from '../../src/options/options.ts';
import { guards } from '../../src/parts/guards.ts';
import type { Parts } from '../../src/parts.ts';
import { ScriptedTransport } from '../bench/scripted-transport.ts';

const GOOD = { baseUrl: 'https://example.com', apiKey: 'canary-key-5f1d', correlationKey: 'email' };

/** Makes a tracker as a production build of a page does: without the part `checked`. */
function create(options: unknown, parts: Parts = {}) {
  return createWith(options as TrackerOptions, { ...defaults, parts });
}

/** The ConfigError that is thrown for these options. */
function refusal(options: unknown): ConfigError {
  try {
    create(options);
  } catch (error) {
    if (isSluiceError(error, 'SLUICE_CONFIG')) return error as ConfigError;
    throw error;
  }
  throw new Error('the options were not refused');
}

const NUMBERS = [
  ...['commitIntervalMs', 'maxEventBytes', 'buffer.maxEvents', 'buffer.maxBytes', 'storage.minFreeBytes'],
  ...['storage.maxAgeMs', 'deadLetters.maxBytes', 'deadLetters.maxAgeMs', 'unidentified.maxBytes'],
  ...['unidentified.maxAgeMs', 'batch.maxEvents', 'batch.maxBytes', 'batch.maxWaitMs'],
  ...[
    'delivery.maxConcurrency',
    'delivery.timeoutMs',
    'advanced.connectTimeoutMs',
    'advanced.headersTimeoutMs',
  ],
  ...['advanced.bodyTimeoutMs', 'delivery.retryBaseMs', 'delivery.retryMaxMs'],
];
const OTHERS = [
  ...['source', 'fsync', 'ordering', 'storage.whenFull', 'storage.maxBytes', 'unidentified.hold', 'compress'],
  ...['parts', 'delivery.policy', 'buffer', 'storage', 'deadLetters', 'unidentified', 'batch'],
  ...['delivery', 'unknown', 'delivery.unknown', 'delivery.headers', 'delivery.credentials'],
  ...['delivery.connect', 'delivery.dispatcher'],
];
const HOSTILE = [
  ...[0, -1, -0.5, 0.5, 1e15, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY],
  ...[Number.NEGATIVE_INFINITY, '', '100', 100n, null, {}, [], [7], () => 1, Symbol('s')],
];

function withOption(option: string, value: unknown): object {
  const [first = '', second] = option.split('.');
  return { [first]: second === undefined ? value : { [second]: value } };
}

describe('a tracker without the part "checked"', () => {
  it.each([...NUMBERS, ...OTHERS])('delivers, whatever it is given as %s', async (option) => {
    // Only this one needs a part.
    const values = option === 'compress' ? HOSTILE.filter((value) => !value) : HOSTILE;
    for (const value of values) {
      const transport = new ScriptedTransport(systemClock);
      const given = withOption(option, value);
      const tracker = create({ ...GOOD, journal: 'memory', transport, ...given }, { bounds, guards });
      for (const number of [1, 2, 3])
        tracker.track('purchase', { number }, { correlationValue: 'ada@example.com' });
      await tracker.flush({ timeoutMs: PATIENCE.timeout });
      expect(tracker.stats()).toMatchObject({ accepted: 3, delivered: 3, pending: 0 });
      await tracker.close();
    }
  });

  it.each([
    ['baseUrl', undefined],
    ['baseUrl', 'example.com'],
    ['baseUrl', 'ftp://example.com'],
    ['baseUrl', 'https://ada:hunter2@example.com'],
    ['baseUrl', 'https://example.com/?key=hunter2'],
    ['apiKey', undefined],
    ['apiKey', ''],
    ['apiKey', 'hunter2\n'],
    ['correlationKey', undefined],
    ['correlationKey', ''],
    ['correlationKey', 7],
    ['journal', 'disk'],
    ['journal', {}],
    ['journal', null],
    ['consent', 'yes'],
    ['consent', null],
    ['consent', 7],
  ])('refuses what would lose or misdirect events: %s %j', (option, value) => {
    const error = refusal({ ...GOOD, [option]: value });
    expect(error.option).toBe(option);
    expect(error.message).toMatch(new RegExp(`^${option} `));
    expect(error.message).not.toContain('hunter2');
  });

  it.each([
    ['a key in their place', GOOD.apiKey],
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['a getter that throws', Object.defineProperty({}, 'baseUrl', { get: () => Symbol('s') as never })],
    ['a proxy', new Proxy({}, { get: () => Reflect.get({}, Symbol('x'), null as never) })],
  ])('throws nothing but a ConfigError, which does not show the key: %s', (_, options) => {
    expect(refusal(options).message).not.toContain(GOOD.apiKey);
  });
});

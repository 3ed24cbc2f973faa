import { startEmulator } from '@sluice/emulator';
import { ConfigError, InvalidEventError } from '@sluice/protocol';
import { expect, it, vi } from 'vitest';
import { createEventWriter, type EventWriterOptions } from '../../src/entries/event-writer.ts';
import { createTracker } from '../../src/index.ts';

const ADA = { correlationValue: 'ada@example.com' };
const FIXED = { uuid: '3f0c1f6e-0000-4000-8000-00000000000a', timestamp: Date.UTC(2026, 10, 27) };

/** The error that writing an event throws. */
function errorOf(write: () => unknown): unknown {
  try {
    write();
  } catch (error) {
    return error;
  }
  throw new Error('the event was taken');
}

it.each<[string, Partial<EventWriterOptions>]>([
  ['defaults', {}],
  ['a source', { source: 'checkout' }],
  ['a context', { context: { release: '1.2.3' } }],
  ['redacted fields', { redact: ['card'] }],
  ['beforeSend', { beforeSend: ({ event, payload }) => ({ event: `${event}!`, payload }) }],
])('makes the text that track() makes, with %s', async (_, options) => {
  const emulator = await startEmulator({ primaryKey: 'email' });
  const { baseUrl, apiKey } = emulator;
  const given = { correlationKey: 'email', ...options };
  const tracker = createTracker({ baseUrl, apiKey, journal: 'memory', ...given });
  const event = [
    'purchase',
    { total: 42.5, card: '4111', note: 'ü "\u0000\ud800' },
    { ...ADA, ...FIXED },
  ] as const;
  tracker.track(...event);
  await tracker.close();
  const [received] = await emulator.waitForEvents(1);
  await emulator.close();
  expect(createEventWriter(given)(...event)).toEqual({
    text: JSON.stringify(received?.event),
    customer: 'ada@example.com',
  });
});

it('stamps an event with a uuid and the time', () => {
  const write = createEventWriter({ correlationKey: 'email' });
  const events = [write('a', undefined, ADA), write('a', undefined, ADA)].map((event) =>
    JSON.parse(typeof event === 'string' ? '' : event.text),
  );
  expect(events[0].uuid).not.toBe(events[1].uuid);
  expect(Math.abs(Date.parse(events[0].timestamp) - Date.now())).toBeLessThan(60_000);
});

it('says why beforeSend or sample drops an event', () => {
  const filter = createEventWriter({ correlationKey: 'email', beforeSend: () => null });
  expect(filter('a', {}, ADA)).toBe('filtered');
  expect(createEventWriter({ correlationKey: 'email', sample: 0 })('a', {}, ADA)).toBe('sampled');
});

it.each<[string, unknown, object]>([
  ['correlationValue', {}, {}],
  ['uuid', {}, { ...ADA, uuid: '7' }],
  ['timestamp', {}, { ...ADA, timestamp: Number.NaN }],
  ['payload.ids', { ids: new Map([[1, 2]]) }, ADA],
  ['event', { text: 'ä'.repeat(600) }, ADA],
  [
    'payload',
    {
      toJSON() {
        throw new Error('none');
      },
    },
    ADA,
  ],
])('throws an InvalidEventError for a wrong %s, which names the event', (field, payload, options) => {
  const write = createEventWriter({ correlationKey: 'email', maxEventBytes: 1_000 });
  const error = errorOf(() => write('purchase', payload, options));
  expect(error).toBeInstanceOf(InvalidEventError);
  expect(error).toMatchObject({ field, event: 'purchase' });
});

it('throws a ConfigError with its cause if a hook throws: nobody listens here', () => {
  const cause = new Error('no session');
  const context = vi.fn().mockImplementation(() => {
    throw cause;
  });
  const write = createEventWriter({ correlationKey: 'email', context });
  const error = errorOf(() => write('a', {}, ADA));
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toMatchObject({ option: 'context', message: 'context failed: no session', cause });
});

it('checks its options as createTracker does', () => {
  expect(() => createEventWriter({ correlationKey: '' })).toThrow(ConfigError);
  const wrong = { correlationKey: 'email', maxEventByte: 7 };
  expect(() => createEventWriter(wrong)).toThrow('did you mean maxEventBytes?');
});

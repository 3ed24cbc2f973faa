import { ConfigError } from '@sluice/protocol';
import { Agent, EnvHttpProxyAgent, MockAgent, ProxyAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { createTracker } from '../../src/index.ts';
import type { TrackerOptions } from '../../src/options/options.ts';
import { readOptions } from '../../src/options/settings.ts';
import { ScriptedTransport } from '../bench/scripted-transport.ts';

const GOOD = { baseUrl: 'https://example.com', correlationKey: 'email' };
const SECRET = 'canary-5f1d';
const KEY = 'canary/key+5f1d';
/** A key that may also be the name of a header. */
const TOKEN = 'canary-key-5f1d';
const transport = new ScriptedTransport(new VirtualClock());
const dispatcher = { dispatch: () => true };

/** The ConfigError for these options among good ones, which may have wrong types. */
function refusal(options: object): ConfigError {
  try {
    readOptions({ ...GOOD, ...options } as TrackerOptions, platform);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the options were not refused');
}

describe('the options of Node', () => {
  it('are taken as they are', () => {
    const connect = {
      ...{ ca: [SECRET, new Uint8Array(1)], cert: SECRET, key: new Uint8Array(1), passphrase: SECRET },
      ...{ servername: 'service.test', rejectUnauthorized: true, socketPath: '/run/relay', allowH2: true },
    };
    const headers = { cookie: SECRET, 'X-Tenant': 'acme', 'te-amo': '' };
    const delivery = { connect, headers };
    expect(readOptions({ ...GOOD, delivery }, platform).delivery).toMatchObject(delivery);
    expect(readOptions({ ...GOOD, delivery: { dispatcher } }, platform).delivery.dispatcher).toBe(dispatcher);
    const absent = { connect: undefined, dispatcher: undefined, headers: undefined, credentials: undefined };
    const { headers: _, ...others } = readOptions({ ...GOOD, delivery: absent }, platform).delivery;
    expect(others).toMatchObject({ connect: undefined, dispatcher: undefined });
  });

  it('may have any dispatcher of undici, by their types', () => {
    const uri = 'http://127.0.0.1:9';
    const given: TrackerOptions['delivery'][] = [
      { dispatcher: new Agent() },
      { dispatcher: new ProxyAgent(uri) },
      { dispatcher: new EnvHttpProxyAgent() },
      { dispatcher: new MockAgent() },
      { dispatcher: new Agent().compose((dispatch) => dispatch) },
    ];
    for (const delivery of given) readOptions({ ...GOOD, delivery }, platform);
  });

  it.each<[string, unknown, string]>([
    ['journalDirectory', '', 'a path, got an empty string'],
    ['journalDirectory', 7, 'a path, got number 7'],
    ['fsync', 'sometimes', '"always", "interval" or "never", got string "sometimes"'],
    ['fsync', true, '"always", "interval" or "never", got boolean true'],
    ['exitBudgetMs', -1, 'a whole number from 0 to 2147483647, got number -1'],
    ['exitBudgetMs', '100', 'a whole number from 0 to 2147483647, got string "100"'],
  ])('say what %s must be instead of %j', (name, value, rule) => {
    expect(refusal({ [name]: value }).message).toBe(`${name} must be ${rule}`);
  });

  it.each<[string, unknown, string]>([
    ['connect', 7, 'must be an object, got number 7'],
    ['connect', { pfx: SECRET }, 'pfx is not an option; there are ca, cert, key, passphrase, servername'],
    [
      'connect',
      { ca: '' },
      'ca must be text in PEM form, or its bytes, or an array of these, got an empty string',
    ],
    ['connect', { ca: [7] }, 'ca must be text in PEM form, or its bytes, or an array of these, got an array'],
    ['connect', { cert: 7 }, 'cert must be text in PEM form, or its bytes, got number 7'],
    ['connect', { key: { pem: SECRET } }, 'key must be text in PEM form, or its bytes, got an object'],
    [
      'connect',
      { passphrase: [SECRET] },
      'passphrase must be a non-empty string, got a value that is not shown',
    ],
    ['connect', { rejectUnauthorized: 0 }, 'rejectUnauthorized must be true or false, got number 0'],
    ['connect', { socketPath: '' }, 'socketPath must be a path, got an empty string'],
    ['connect', { allowH2: 'yes' }, 'allowH2 must be true or false, got string "yes"'],
    ['dispatcher', {}, 'must be an object with dispatch, got an object'],
    [
      'credentials',
      'include',
      'must be absent in Node, which has no cookies: give delivery.headers a cookie',
    ],
    [
      'headers',
      { Connection: SECRET },
      'must not have "Connection", which is about the connection: leave it out',
    ],
    ['headers', { 'proxy-authorization': SECRET }, 'must not have "proxy-authorization", which is about'],
    ['headers', { te: SECRET }, 'must not have "te", which is about the connection: leave it out'],
  ])('name themselves, and what is allowed, where they are wrong: %s, case %#', (name, value, rule) => {
    const { message, option } = refusal({ delivery: { [name]: value } });
    expect(option).toMatch(new RegExp(`^delivery\\.${name}`));
    expect(message.startsWith(`delivery.${name}`)).toBe(true);
    expect(message).toContain(rule);
    expect(message).not.toContain(SECRET);
  });

  it.each<[string, object]>([
    ['the address, encoded', { baseUrl: `ftp://example.com/${encodeURIComponent(KEY)}` }],
    ['the address, in base64', { baseUrl: `ftp://example.com/${btoa(KEY)}` }],
    ['the credentials of the address', { baseUrl: `https://user:${KEY}@example.com` }],
    ['the query of the address', { baseUrl: `https://example.com/?key=${KEY}` }],
    ['the place of the address', { baseUrl: KEY, apiKey: 'https://example.com' }],
    ['the name of a header', { delivery: { headers: { [`Api-Key ${KEY}`]: '' } } }],
    [
      'the name of a header of the connection',
      { delivery: { headers: { [`proxy-${TOKEN}`]: '' } }, apiKey: TOKEN },
    ],
    ['the value of a header', { delivery: { headers: { 'x-key': `${KEY}\n` } } }],
    ['the header of batch ids', { delivery: { idempotencyHeader: `Api-Key ${KEY}` } }],
    ['another option', { ordering: KEY }],
    ['the name of an option', { [KEY]: true }],
  ])('show no API key that the user put in %s', (_, options) => {
    const { message, option, stack } = refusal({ apiKey: KEY, ...options });
    for (const text of ['canary', btoa(KEY)]) expect([message, option, stack].join()).not.toContain(text);
  });

  it.each<[string, object]>([
    ['a destination', { destination: { path: KEY } }],
    ['the name of an option of a destination', { destination: { [btoa(KEY)]: '' } }],
    ['a hook', { sample: KEY }],
    ['the name of an event', { events: { [KEY]: 5 } }],
  ])('that a part checks show no API key that the user put in %s', (_, options) => {
    const create = () => createTracker({ ...GOOD, apiKey: KEY, ...options } as TrackerOptions);
    expect(create).toThrow(ConfigError);
    for (const text of ['canary', btoa(KEY)]) expect(create).not.toThrow(text);
  });

  it('name the key where it has half a character', () => {
    expect(refusal({ apiKey: 'canary-\ud800' }).message).toMatch(/^apiKey must be visible ASCII characters/);
  });

  it('show no API key of four characters either', () => {
    expect(refusal({ apiKey: 'k+9"', ordering: 'k+9"' }).message).toMatch(/got string "\[key]"$/);
  });

  it('are named as they are where the key is too short to be told from other text', () => {
    expect(refusal({ apiKey: 'o', ordering: 'o' }).message).toMatch(/^ordering must be .*, got string "o"$/);
  });

  it.each<[string, object, string]>([
    ['delivery.connect', { delivery: { connect: {}, dispatcher } }, 'delivery.dispatcher'],
    ['delivery.connect', { delivery: { connect: {} }, transport }, 'transport'],
    ['delivery.dispatcher', { delivery: { dispatcher }, transport }, 'transport'],
    ['journalDirectory', { journal: 'memory', journalDirectory: '/var/lib/app' }, 'journal'],
  ])('contradict each other: %s, case %#', (option, options, other) => {
    const error = refusal(options);
    expect(error.option).toBe(option);
    expect(error.message).toMatch(new RegExp(`^${option} is for .*: leave it out, or leave out ${other}$`));
  });
});

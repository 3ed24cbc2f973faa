import { describe, expect, it } from 'vitest';
import { redactedError, redactor, rootMessage } from '../../src/toolbox/index.ts';

const KEY = 'canary/key-5f2d+"9c';
const redact = redactor(KEY);

describe('a secret', () => {
  it('is taken out of a text, wherever and in each form that JSON and URLs give it', () => {
    expect(redact(`a ${KEY}${KEY} b`)).toBe('a [key][key] b');
    expect(redact(JSON.stringify({ sent: `Api-Key ${KEY}` }))).toBe('{"sent":"Api-Key [key]"}');
    expect(redact(JSON.stringify(KEY).replaceAll('/', '\\/'))).toBe('"[key]"');
    expect(redact(`?key=${encodeURIComponent(KEY)}`)).toBe('?key=[key]');
  });

  it('may look like a pattern or like a replacement', () => {
    expect(redactor('$&.*')('a$&.*b')).toBe('a[key]b');
    expect(redactor('(a+)+$')(`${'a'.repeat(50_000)}!`)).toHaveLength(50_001);
  });

  it('that is not there leaves the text as it is', () => {
    expect(redact('canary')).toBe('canary');
  });
});

describe('an error', () => {
  it('is copied with its causes: names, messages and codes, without the secret', () => {
    const cause = Object.assign(new Error(`read ${KEY}`), {
      code: 'ECONNRESET',
      name: 'SocketError',
      data: KEY,
    });
    const error = Object.assign(new TypeError('fetch failed', { cause }), {
      headers: { authorization: KEY },
    });
    const copy = redactedError(error, redact);
    expect(copy).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    expect(copy.cause).toMatchObject({ name: 'SocketError', message: 'read [key]', code: 'ECONNRESET' });
    expect(copy).not.toHaveProperty('headers');
    expect(copy.cause).not.toHaveProperty('data');
    expect(rootMessage(copy)).toBe('read [key]');
  });

  it('without a message is called by its code', () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(redactedError(refused, redact).message).toBe('ECONNREFUSED');
  });

  it('may be anything that can be thrown', () => {
    expect(redactedError(undefined, redact).message).toBe('nothing');
    expect(redactedError(KEY, redact).message).not.toContain('canary');
    expect(redactedError({ message: 7 }, redact).message).toBe('an object');
  });

  it('may be its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(rootMessage(redactedError(error, redact))).toBe('round');
  });
});

import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  DeliveryError,
  InvalidEventError,
  isSluiceError,
  SluiceError,
  type SluiceErrorCode,
} from '../../src/index.ts';

describe('an error', () => {
  it('has a stable code, a name, a message and its data', () => {
    const config = new ConfigError('batch.maxBytes', 'batch.maxBytes must be positive, got number -1');
    expect(config).toMatchObject({ code: 'SLUICE_CONFIG', name: 'ConfigError', option: 'batch.maxBytes' });
    expect(config.message).toBe('batch.maxBytes must be positive, got number -1');
    const invalid = new InvalidEventError('payload.a', 'payload.a cannot be sent');
    expect(invalid).toMatchObject({
      code: 'SLUICE_INVALID_EVENT',
      name: 'InvalidEventError',
      field: 'payload.a',
    });
    const delivery = new DeliveryError('refused', {
      status: 429,
      retryable: true,
      retryAfterMs: 5,
      excerpt: 'x',
    });
    expect(delivery).toMatchObject({ code: 'SLUICE_DELIVERY', name: 'DeliveryError' });
    expect(delivery).toMatchObject({ status: 429, retryable: true, retryAfterMs: 5, excerpt: 'x' });
    for (const error of [config, invalid, delivery]) {
      expect(error).toBeInstanceOf(SluiceError);
      expect(error).toBeInstanceOf(Error);
    }
  });

  it('keeps its cause, and has no cause where none was given', () => {
    const cause = new Error('reset');
    expect(new DeliveryError('lost', { retryable: true, cause }).cause).toBe(cause);
    expect(new ConfigError('a', 'b', { cause }).cause).toBe(cause);
    expect(Object.hasOwn(new DeliveryError('lost', { retryable: true }), 'cause')).toBe(false);
  });

  it('is named by its code, which no minifier renames', () => {
    const renamed = class a extends SluiceError {};
    const names: [SluiceErrorCode, string][] = [
      ['SLUICE_CONFIG', 'ConfigError'],
      ['SLUICE_INVALID_EVENT', 'InvalidEventError'],
      ['SLUICE_STORAGE', 'StorageError'],
      ['SLUICE_DELIVERY', 'DeliveryError'],
      ['SLUICE_CUSTOMER_NOT_FOUND', 'CustomerNotFoundError'],
      ['SLUICE_INVALID_CUSTOMER', 'InvalidCustomerError'],
      ['SLUICE_CLOSED', 'ClosedError'],
    ];
    for (const [code, name] of names) expect(new renamed(code, 'x').name).toBe(name);
  });
});

describe('the guard', () => {
  it('knows an error of Sluice, and its code', () => {
    const error: unknown = new ConfigError('a', 'b');
    expect(isSluiceError(error)).toBe(true);
    expect(isSluiceError(error, 'SLUICE_CONFIG')).toBe(true);
    expect(isSluiceError(error, 'SLUICE_DELIVERY')).toBe(false);
  });

  it('knows an error that another copy of the package made', async () => {
    const path = '../../src/errors/sluice-error.ts?another-copy';
    const copy: { SluiceError: typeof SluiceError } = await import(/* @vite-ignore */ path);
    expect(copy.SluiceError).not.toBe(SluiceError);
    const error = new copy.SluiceError('SLUICE_CLOSED', 'closed');
    expect(error).not.toBeInstanceOf(SluiceError);
    expect(isSluiceError(error, 'SLUICE_CLOSED')).toBe(true);
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    ['SLUICE_CONFIG'],
    [new Error('SLUICE_CONFIG')],
    [Object.assign(new Error('x'), { code: 'SLUICE_CONFIG' })],
    [{ code: 'SLUICE_CONFIG' }],
    [() => 1],
  ])('knows what is none (%#)', (value) => expect(isSluiceError(value)).toBe(false));
});

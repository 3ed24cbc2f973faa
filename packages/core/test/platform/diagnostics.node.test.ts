import diagnosticsChannel from 'node:diagnostics_channel';
import { startEmulator } from '@sluice/emulator';
import { afterAll, describe, expect, it } from 'vitest';
import { createTracker } from '../../src/index.ts';

const emulator = await startEmulator({ primaryKey: 'email' });
afterAll(() => emulator.close());

describe('diagnostics_channel', () => {
  it('has a channel for each event of a tracker, with what its listeners get', async () => {
    const { baseUrl, apiKey } = emulator;
    const tracker = createTracker({ baseUrl, apiKey, correlationKey: 'email', journal: 'memory' });
    const seen: unknown[] = [];
    const note = (message: unknown, name: string | symbol) => seen.push([name, message]);
    diagnosticsChannel.subscribe('sluice:delivered', note);
    diagnosticsChannel.subscribe('sluice:dropped', note);
    tracker.track('purchase', {}, { correlationValue: 'ada@example.com' });
    await tracker.close();
    tracker.track('purchase', {}, { correlationValue: 'ada@example.com' });
    diagnosticsChannel.unsubscribe('sluice:delivered', note);
    diagnosticsChannel.unsubscribe('sluice:dropped', note);
    expect(seen).toEqual([
      ['sluice:delivered', { count: 1 }],
      ['sluice:dropped', { reason: 'closed', count: 1 }],
    ]);
  });

  it('is not hurt by a subscriber that throws', async () => {
    const { baseUrl, apiKey } = emulator;
    const tracker = createTracker({ baseUrl, apiKey, correlationKey: 'email', journal: 'memory' });
    const errors: unknown[] = [];
    const keep = (error: unknown) => errors.push(error);
    const fail = () => {
      throw new Error('a bad subscriber');
    };
    process.on('uncaughtException', keep);
    diagnosticsChannel.subscribe('sluice:delivered', fail);
    tracker.track('purchase', {}, { correlationValue: 'ada@example.com' });
    const report = await tracker.close();
    diagnosticsChannel.unsubscribe('sluice:delivered', fail);
    process.off('uncaughtException', keep);
    expect(report).toMatchObject({ delivered: 1, pending: 0 });
  });
});

import { InvalidEventError } from '@sluice/protocol';
import { describe, expect, it, vi } from 'vitest';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';

function reporterThatCounts(): { reporter: Reporter; thrown: [unknown, string][] } {
  const thrown: [unknown, string][] = [];
  const reporter = new Reporter(new Books(), new VirtualClock());
  reporter.on('callbackFailed', ({ error, callback }) => thrown.push([error, callback]));
  return { reporter, thrown };
}

describe('Reporter', () => {
  it('calls the listeners of an event with its detail, in the order in which they came', () => {
    const { reporter } = reporterThatCounts();
    const calls: string[] = [];
    reporter.on('delivered', ({ count }) => calls.push(`first ${count}`));
    reporter.on('storageChanged', ({ kind }) => calls.push(`journal ${kind}`));
    reporter.on('delivered', ({ count }) => calls.push(`second ${count}`));
    reporter.emit('delivered', { count: 3 });
    expect(calls).toEqual(['first 3', 'second 3']);
  });

  it('does nothing where nobody listens', async () => {
    const { reporter, thrown } = reporterThatCounts();
    reporter.emit('delivered', { count: 1 });
    await settle();
    expect(thrown).toEqual([]);
  });

  it('goes on where a listener throws, and tells of it', async () => {
    const { reporter, thrown } = reporterThatCounts();
    const error = new Error('listener');
    const after = vi.fn();
    reporter.on('delivered', () => {
      throw error;
    });
    reporter.on('delivered', after);
    expect(() => reporter.emit('delivered', { count: 1 })).not.toThrow();
    expect(after).toHaveBeenCalledTimes(1);
    await settle();
    expect(thrown).toEqual([[error, 'listener of delivered']]);
  });

  it('tells of each listener that throws once, not each time', async () => {
    const { reporter, thrown } = reporterThatCounts();
    const fail = (event: string) => () => {
      throw new Error(event);
    };
    reporter.on('delivered', fail('first'));
    reporter.on('delivered', fail('second'));
    for (let count = 0; count < 3; count += 1) reporter.emit('delivered', { count });
    await settle();
    expect(thrown).toEqual([
      [new Error('first'), 'listener of delivered'],
      [new Error('second'), 'listener of delivered'],
    ]);
  });

  it('tells of an asynchronous listener that rejects, in place of an unhandled rejection', async () => {
    const { reporter, thrown } = reporterThatCounts();
    const error = new Error('listener');
    const rejected = Promise.reject(error);
    rejected.catch(() => undefined);
    reporter.on('delivered', () => rejected);
    reporter.emit('delivered', { count: 1 });
    await settle();
    expect(thrown).toEqual([[error, 'listener of delivered']]);
  });

  it('calls a removed listener no more', () => {
    const { reporter } = reporterThatCounts();
    const listener = vi.fn();
    const off = reporter.on('delivered', listener);
    off();
    off();
    reporter.emit('delivered', { count: 1 });
    expect(listener).not.toHaveBeenCalled();
  });

  it('takes a function added twice for two listeners', () => {
    const { reporter } = reporterThatCounts();
    const listener = vi.fn();
    const off = reporter.on('delivered', listener);
    reporter.on('delivered', listener);
    reporter.emit('delivered', { count: 1 });
    expect(listener).toHaveBeenCalledTimes(2);
    off();
    reporter.emit('delivered', { count: 2 });
    expect(listener).toHaveBeenCalledTimes(3);
  });

  it('lets a listener remove itself and others while it is called', () => {
    const { reporter } = reporterThatCounts();
    const calls: string[] = [];
    const offs = [
      reporter.on('delivered', () => {
        calls.push('first');
        for (const off of offs) off();
      }),
      reporter.on('delivered', () => calls.push('second')),
    ];
    reporter.emit('delivered', { count: 1 });
    reporter.emit('delivered', { count: 2 });
    expect(calls).toEqual(['first']);
  });

  it('calls a listener that was added by another from the next time on', () => {
    const { reporter } = reporterThatCounts();
    let calls = 0;
    const listen = (): void => {
      const off = reporter.on('delivered', () => {
        calls += 1;
        off();
        // Adds a listener in each call. If these listeners were called for the same event, this would never end.
        if (calls < 100) listen();
      });
    };
    listen();
    reporter.emit('delivered', { count: 1 });
    expect(calls).toBe(1);
    reporter.emit('delivered', { count: 2 });
    expect(calls).toBe(2);
  });

  it('does not tell a listener of what it causes itself, without end', () => {
    const { reporter } = reporterThatCounts();
    const calls: string[] = [];
    reporter.on('delivered', ({ count }) => {
      calls.push(`first ${count}`);
      reporter.emit('delivered', { count: count + 1 });
    });
    reporter.on('delivered', ({ count }) => calls.push(`second ${count}`));
    reporter.emit('delivered', { count: 1 });
    expect(calls).toEqual(['first 1', 'second 2', 'second 1']);
  });

  it('may emit from within a listener', () => {
    const { reporter } = reporterThatCounts();
    const names: string[] = [];
    reporter.on('delivered', ({ count }) => reporter.emit('storageChanged', { kind: `number ${count}` }));
    reporter.on('storageChanged', ({ kind }) => names.push(kind));
    reporter.emit('delivered', { count: 1 });
    expect(names).toEqual(['number 1']);
  });

  it('names the event of an error, also of one that a payload threw and that is frozen', () => {
    const { reporter } = reporterThatCounts();
    const seen: unknown[] = [];
    reporter.on('invalid', ({ error }) => seen.push([error.event, error.field]));
    reporter.invalid(new InvalidEventError('payload.a', 'wrong'), 'purchase');
    reporter.invalid(Object.freeze(new InvalidEventError('payload.b', 'wrong')), 'purchase');
    reporter.invalid(new Error('thrown'), Symbol('name'));
    expect(seen).toEqual([
      ['purchase', 'payload.a'],
      [undefined, 'payload.b'],
      [undefined, 'payload'],
    ]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../src/tell/emitter.ts';
import { settle } from '../bench/virtual-clock.ts';

interface Events {
  readonly count: { readonly count: number };
  readonly name: { readonly name: string };
}

function createEmitter(): { emitter: Emitter<Events>; thrown: [unknown, string][] } {
  const thrown: [unknown, string][] = [];
  return { emitter: new Emitter<Events>((error, event) => thrown.push([error, event])), thrown };
}

describe('Emitter', () => {
  it('calls the listeners of an event with its detail, in the order in which they came', () => {
    const { emitter } = createEmitter();
    const calls: string[] = [];
    emitter.on('count', ({ count }) => calls.push(`first ${count}`));
    emitter.on('name', ({ name }) => calls.push(`name ${name}`));
    emitter.on('count', ({ count }) => calls.push(`second ${count}`));
    emitter.emit('count', { count: 3 });
    expect(calls).toEqual(['first 3', 'second 3']);
  });

  it('does nothing where nobody listens', () => {
    const { emitter, thrown } = createEmitter();
    emitter.emit('count', { count: 1 });
    expect(thrown).toEqual([]);
  });

  it('goes on where a listener throws, and tells of it', () => {
    const { emitter, thrown } = createEmitter();
    const error = new Error('listener');
    const after = vi.fn();
    emitter.on('count', () => {
      throw error;
    });
    emitter.on('count', after);
    expect(() => emitter.emit('count', { count: 1 })).not.toThrow();
    expect(after).toHaveBeenCalledTimes(1);
    expect(thrown).toEqual([[error, 'count']]);
  });

  it('tells of each listener that throws once, not each time', () => {
    const { emitter, thrown } = createEmitter();
    const fail = (event: string) => () => {
      throw new Error(event);
    };
    emitter.on('count', fail('first'));
    emitter.on('count', fail('second'));
    for (let count = 0; count < 3; count += 1) emitter.emit('count', { count });
    expect(thrown).toEqual([
      [new Error('first'), 'count'],
      [new Error('second'), 'count'],
    ]);
  });

  it('tells of an asynchronous listener that rejects, in place of an unhandled rejection', async () => {
    const { emitter, thrown } = createEmitter();
    const error = new Error('listener');
    const rejected = Promise.reject(error);
    rejected.catch(() => undefined);
    emitter.on('count', () => rejected);
    emitter.emit('count', { count: 1 });
    await settle();
    expect(thrown).toEqual([[error, 'count']]);
  });

  it('calls a removed listener no more', () => {
    const { emitter } = createEmitter();
    const listener = vi.fn();
    const off = emitter.on('count', listener);
    off();
    off();
    emitter.emit('count', { count: 1 });
    expect(listener).not.toHaveBeenCalled();
  });

  it('takes a function added twice for two listeners', () => {
    const { emitter } = createEmitter();
    const listener = vi.fn();
    const off = emitter.on('count', listener);
    emitter.on('count', listener);
    emitter.emit('count', { count: 1 });
    expect(listener).toHaveBeenCalledTimes(2);
    off();
    emitter.emit('count', { count: 2 });
    expect(listener).toHaveBeenCalledTimes(3);
  });

  it('lets a listener remove itself and others while it is called', () => {
    const { emitter } = createEmitter();
    const calls: string[] = [];
    const offs = [
      emitter.on('count', () => {
        calls.push('first');
        for (const off of offs) off();
      }),
      emitter.on('count', () => calls.push('second')),
    ];
    emitter.emit('count', { count: 1 });
    emitter.emit('count', { count: 2 });
    expect(calls).toEqual(['first']);
  });

  it('calls a listener that was added by another from the next time on', () => {
    const { emitter } = createEmitter();
    let calls = 0;
    const listen = (): void => {
      const off = emitter.on('count', () => {
        calls += 1;
        off();
        // Adds a listener in each call. If these listeners were called for the same event, this would never end.
        if (calls < 100) listen();
      });
    };
    listen();
    emitter.emit('count', { count: 1 });
    expect(calls).toBe(1);
    emitter.emit('count', { count: 2 });
    expect(calls).toBe(2);
  });

  it('does not tell a listener of what it causes itself, without end', () => {
    const { emitter } = createEmitter();
    const calls: string[] = [];
    emitter.on('count', ({ count }) => {
      calls.push(`first ${count}`);
      emitter.emit('count', { count: count + 1 });
    });
    emitter.on('count', ({ count }) => calls.push(`second ${count}`));
    emitter.emit('count', { count: 1 });
    expect(calls).toEqual(['first 1', 'second 2', 'second 1']);
  });

  it('may emit from within a listener', () => {
    const { emitter } = createEmitter();
    const names: string[] = [];
    emitter.on('count', ({ count }) => emitter.emit('name', { name: `number ${count}` }));
    emitter.on('name', ({ name }) => names.push(name));
    emitter.emit('count', { count: 1 });
    expect(names).toEqual(['number 1']);
  });
});

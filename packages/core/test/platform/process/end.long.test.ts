// The long tests have more signals, handlers and endings.
import { describe, expect, it } from 'vitest';
import { ALL, run } from '../../children/left-events.ts';

const signal = 'SIGTERM';

describe.concurrent('a process', () => {
  it('dies of a signal as if nobody had listened, and loses nothing', async () => {
    expect(await run('no handler', { signal, fsync: 'interval' })).toMatchObject({
      code: null,
      signal,
      left: ALL,
    });
  });

  it('ends as its own handler has it, which runs once', async () => {
    expect(await run('on, after', { signal })).toMatchObject({
      ...{ code: 5, signal: null, output: 'handled;', left: ALL },
    });
  });

  it('keeps its exit code and loses nothing where it ends by itself', async () => {
    expect(await run('exit in a microtask')).toMatchObject({ code: 3, signal: null, left: ALL });
  });

  it.each([
    ['process.exit()', undefined, { code: 7, signal: null }],
    ['SIGTERM', signal, { code: null, signal }],
  ] as const)(
    'loses of a worker thread, by %s in the main thread, no event that was written',
    async (_, by, end) => {
      for (const events of ['durable events', 'events tracked longer ago than commitIntervalMs'])
        expect(await run(`worker with ${events}`, by && { signal: by })).toMatchObject({ ...end, left: ALL });
    },
  );

  it('has no listener left where all trackers are closed', async () => {
    const { messages } = await run('all trackers closed');
    const [{ before, after }] = messages as [Record<string, number[]>];
    expect(after).toEqual(before);
  });
});

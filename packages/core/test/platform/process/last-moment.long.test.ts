import { describe, expect, it } from 'vitest';
import { ALL, run } from '../../children/left-events.ts';

const SIGTERM = 'SIGTERM';

describe.concurrent('a process that a signal ends', () => {
  it.each([
    ['SIGTERM', 'always'],
    ['SIGTERM', 'interval'],
    ['SIGTERM', 'never'],
    ['SIGINT', 'interval'],
    ['SIGHUP', 'interval'],
  ] as const)(
    'dies of %s as if nobody had listened, and loses nothing, with fsync %s',
    async (signal, fsync) => {
      expect(await run('no handler', { signal, fsync })).toMatchObject({ code: null, signal, left: ALL });
    },
  );

  it.each(['on, before', 'once, before', 'on, after', 'once, after', 'prepended, after'])(
    'ends as its own handler has it, which runs once: %s',
    async (scenario) => {
      expect(await run(scenario, { signal: SIGTERM })).toMatchObject({
        ...{ code: 5, signal: null, output: 'handled;', left: ALL },
      });
    },
  );

  it('dies of it once its own handler is taken away again', async () => {
    expect(await run('on, and taken away again', { signal: SIGTERM })).toMatchObject({
      ...{ code: null, signal: SIGTERM, output: '', left: ALL },
    });
  });

  it('outlives the one that it handles, and dies of the next, which it does not', async () => {
    expect(await run('once, and it goes on', { signal: SIGTERM })).toMatchObject({
      ...{ code: null, signal: SIGTERM, output: 'handled;', messages: ['handled'], left: ALL },
    });
  });

  it.each(['as signal-exit, before', 'as signal-exit, after'])(
    'dies of it where a library sends it again, which asks first whether it is alone: %s',
    async (scenario) => {
      expect(await run(scenario, { signal: 'SIGINT' })).toMatchObject({
        ...{ code: null, signal: 'SIGINT', output: 'handled;', left: ALL },
      });
    },
  );

  it.each(['two trackers', 'two trackers, one closed before'])('loses nothing of %s', async (scenario) => {
    expect(await run(scenario, { signal: SIGTERM })).toMatchObject({ signal: SIGTERM, left: ALL });
  });
});

describe.concurrent('a process that ends by itself', () => {
  it.each([
    ['exit in a microtask', 3],
    ['exit code', 4],
    ['unhandled rejection', 1],
  ])('keeps its exit code and loses nothing: %s', async (scenario, code) => {
    expect(await run(scenario)).toMatchObject({ code, signal: null, left: ALL });
  });

  it('loses nothing of a tracker in a worker thread', async () => {
    expect(await run('worker')).toMatchObject({ code: 6, left: ALL });
  });
});

describe.concurrent('a process in which all trackers are closed', () => {
  it('has no listener of theirs left', async () => {
    const { messages } = await run('all trackers closed');
    const [{ before, during, after }] = messages as [Record<string, number[]>];
    expect(after).toEqual(before);
    // One listener for all trackers, because Node warns of more than ten.
    expect(during?.map((count, index) => count - (before?.[index] ?? 0))).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Commits, type Group } from '../../src/keep/commits.ts';

/** Commits whose end the test decides. */
function scripted() {
  const begun: { readonly group: Group; end(): void; fail(): void }[] = [];
  const commits = new Commits(
    (group) =>
      new Promise((resolve, reject) => {
        begun.push({ group, end: resolve, fail: () => reject(new Error('the disk failed')) });
      }),
  );
  return { begun, commits };
}

describe('group commit', () => {
  it('makes one group of all that comes at once, and the next of all that comes meanwhile', async () => {
    const { begun, commits } = scripted();
    const first = commits.join();
    expect(commits.join()).toBe(first);
    await setImmediate();
    const second = commits.join();
    expect(second).not.toBe(first);
    expect(commits.join()).toBe(second);
    await setImmediate();
    expect(begun.map(({ group }) => group)).toEqual([first]);
    begun[0]?.end();
    await first.done;
    await setImmediate();
    expect(begun.map(({ group }) => group)).toEqual([first, second]);
  });

  it('a copy that comes while the first is not durable yet waits for the same result', async () => {
    for (const ending of ['end', 'fail'] as const) {
      const { begun, commits } = scripted();
      const results: string[] = [];
      const wait = (name: string) =>
        commits.all().then(
          () => results.push(`${name} is durable`),
          () => results.push(`${name} failed`),
        );
      commits.join();
      const first = wait('first');
      await setImmediate();
      const copy = wait('copy');
      await setImmediate();
      expect(results).toEqual([]);
      begun[0]?.[ending]();
      await Promise.all([first, copy]);
      const result = ending === 'end' ? 'is durable' : 'failed';
      expect(results.sort()).toEqual([`copy ${result}`, `first ${result}`]);
      await expect(commits.all()).resolves.toBeUndefined();
    }
  });

  it('what was dropped is lost to all groups that are not durable yet', async () => {
    const { commits } = scripted();
    const first = commits.join();
    await setImmediate();
    const second = commits.join();
    commits.lose();
    expect([first.isLost, second.isLost]).toEqual([true, true]);
  });
});

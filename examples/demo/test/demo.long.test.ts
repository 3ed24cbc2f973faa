import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type RunningDemo, startDemo } from './running-demo.ts';

const VERDICT = /^demo: accepted 10000, delivered 10000, lost 0, duplicates \d+$/;

describe.concurrent('the demo, built, as a process', () => {
  test('delivers all events, says so in its last line and leaves nothing behind', async () => {
    await using demo = await startDemo();
    const { code, output, errors } = await demo.ended;
    expect(errors).toBe('');
    expect(output.trimEnd().split('\n').at(-1)).toMatch(VERDICT);
    expect(code).toBe(0);
    await expectNothingLeft(demo);
  });

  test('keeps the service up when asked to, until Ctrl-C', async () => {
    await using demo = await startDemo('--serve');
    const output = await demo.says(new RegExp(VERDICT, 'm'));
    const [, url = ''] = output.match(/curl -H "\$KEY" '(http:\S+counts\S*)'/) ?? [];
    const [, key = ''] = output.match(/KEY='Authorization: (.*)'/) ?? [];
    const response = await fetch(url, { headers: { authorization: key } });
    expect(await response.json()).toMatchObject({ unique: 10_000 });
    demo.child.kill('SIGINT');
    expect(await demo.ended).toMatchObject({ code: 0, errors: '' });
    await expectNothingLeft(demo);
  });

  test('ends at once on Ctrl-C, with nothing left behind', async () => {
    await using demo = await startDemo();
    await demo.says(/of 10,000 tracked/);
    demo.child.kill('SIGINT');
    expect(await demo.ended).toMatchObject({ code: 130, errors: '\ndemo: ended by SIGINT\n' });
    await expectNothingLeft(demo);
  });
});

async function expectNothingLeft({ directory, ended }: RunningDemo): Promise<void> {
  expect(await readdir(directory)).toEqual([]);
  const { output } = await ended;
  const pids = [...output.matchAll(/\(process\s+(\d+)\)/g)].map(([, pid]) => Number(pid));
  expect(pids.length).toBeGreaterThanOrEqual(2);
  expect(pids.filter(isAlive)).toEqual([]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

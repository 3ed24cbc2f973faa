import { expect, test } from 'vitest';
import { startDemo } from './running-demo.ts';

test('the demo, built, as a process refuses an argument that it does not know', async () => {
  await using demo = await startDemo('--fast');
  const { code, output, errors } = await demo.ended;
  expect(errors).toContain("Unknown option '--fast'");
  expect({ code, output }).toEqual({ code: 2, output: '' });
});

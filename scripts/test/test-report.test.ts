import { expect, test } from 'vitest';
import { count, summaryLine } from '../test-report.mjs';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

test('counts tests over all files, and whatever neither passed nor failed as skipped', () => {
  const testResults = [file('passed', 'passed', 'pending'), file('failed', 'passed', 'failed', 'todo')];
  expect(count({ testResults })).toEqual({ passed: 2, failed: 1, skipped: 2 });
});

test('counts a file that could not be loaded as one failure', () => {
  expect(count({ testResults: [file('failed'), file('passed', 'passed')] })).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
  });
});

test('speaks of skipped tests only where there are some', () => {
  expect(summaryLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  expect(summaryLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
});

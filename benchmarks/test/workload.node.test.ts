import { isEvent } from '@sluice/protocol';
import { expect, it } from 'vitest';
import { averageBytes } from '../src/workload/average-bytes.ts';
import { bareEventText } from '../src/workload/bare-event.ts';
import { sampleEvent } from '../src/workload/sample-event.ts';

it('makes events of the size that others were measured with, which the service would take', () => {
  expect(averageBytes()).toBeGreaterThanOrEqual(443);
  expect(averageBytes()).toBeLessThanOrEqual(447);
  expect(isEvent(JSON.parse(bareEventText(sampleEvent(99_999))))).toBe(true);
});

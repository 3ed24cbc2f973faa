import { expect, it } from 'vitest';
import { numberedUuid } from '../../src/processes/numbered-uuid.ts';
import { UuidSet } from '../../src/processes/uuid-set.ts';

it('repeats are counted by the life that tracked the event, until all is cleared', () => {
  const events = new UuidSet();
  const uuids = [
    numberedUuid(1, 5),
    numberedUuid(1, 5),
    numberedUuid(1, 5),
    numberedUuid(2, 5),
    numberedUuid(2, 5),
  ];
  events.add(Buffer.from(JSON.stringify(uuids.map((uuid) => ({ uuid })))));
  expect(events.repeatsOf(new Set([1]))).toBe(2);
  expect(events.repeatsOf(new Set([1, 2, 3]))).toBe(3);
  expect(events.repeatsOf(new Set())).toBe(0);
  events.clear();
  expect(events.repeatsOf(new Set([1, 2]))).toBe(0);
});

it('repeats are counted by who had sent the event before', () => {
  const events = new UuidSet();
  const send = (sender: string, ...numbers: number[]) =>
    events.add(
      Buffer.from(JSON.stringify(numbers.map((number) => ({ uuid: numberedUuid(1, number) })))),
      sender,
    );
  send('a', 1, 2, 3);
  expect(events.mostRepeatsAfterOne).toBe(0);
  send('b', 2, 3, 4);
  send('c', 3);
  expect(events.mostRepeatsAfterOne).toBe(2);
});

import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { eventIdsIn } from '../../src/browser/event-ids.ts';

const json = JSON.stringify([{ bench_id: 'event-1' }, { properties: { bench_id: 'event-2' } }]);
const both = ['event-1', 'event-2'];

it('finds the events of a body in JSON, one for each time that they stand there', () => {
  expect(eventIdsIn(Buffer.from(json))).toEqual(both);
  expect(eventIdsIn(Buffer.from(`${json}\n${json}`))).toEqual([...both, ...both]);
});

it('finds them in JSON within a text of JSON, and that once more', () => {
  const nested = JSON.stringify({ data: [{ ue_pr: JSON.stringify({ data: json }) }] });
  expect(eventIdsIn(Buffer.from(nested))).toEqual(both);
});

it('finds them gzipped', () => {
  expect(eventIdsIn(gzipSync(json))).toEqual(both);
});

it('finds them in a form, as JSON and in base64', () => {
  expect(eventIdsIn(Buffer.from(`data=${encodeURIComponent(json)}`))).toEqual(both);
  const base64 = encodeURIComponent(Buffer.from(json).toString('base64'));
  expect(eventIdsIn(Buffer.from(`data=${base64}`))).toEqual(both);
});

it('finds none in what holds none', () => {
  expect(eventIdsIn(Buffer.from(''))).toEqual([]);
  expect(eventIdsIn(Buffer.from('{"event":"pageview"}'))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { audit } from '../src/audit.ts';
import type { StoredEvent } from '../src/service-store.ts';
import { rowUuid } from '../src/strike-event.ts';

const rows = ['OSLO', 'ROME'].map((airport) => ({
  'Airport Name': airport,
  'Flight Date': '1991-02-01',
  'Aircraft Airline Operator': 'B AIR',
  Speed: '',
}));

describe('the audit', () => {
  test('finds nothing where every event is as its row', () => {
    expect(audit(rows, [stored(1, 'ROME'), stored(0, 'OSLO')])).toEqual({
      delivered: 2,
      duplicates: 0,
      attributed: 2,
      differences: [],
    });
  });

  test('misses an event that the service does not have', () => {
    expect(audit(rows, [stored(1, 'ROME')])).toMatchObject({ delivered: 1, differences: [] });
  });

  test('counts how often an event came again', () => {
    expect(audit(rows, [{ ...stored(0, 'OSLO'), deliveries: 3 }, stored(1, 'ROME')]).duplicates).toBe(2);
  });

  test.each([
    ['a cell', { payload: { 'Airport Name': 'OSLO', Speed: '0' } }, 'payload["Speed"] is "0", in the CSV ""'],
    [
      'a missing cell',
      { payload: { 'Airport Name': 'OSLO' } },
      'number of payload fields is 1, in the CSV 2',
    ],
    [
      'a cell too many',
      { payload: { 'Airport Name': 'OSLO', Speed: '', Height: '7' } },
      'number of payload fields is 3, in the CSV 2',
    ],
    [
      'the time',
      { timestamp: '1991-02-01T01:00:00.000Z' },
      'timestamp is "1991-02-01T01:00:00.000Z", in the CSV "1991-02-01T00:00:00.000Z"',
    ],
    ['the operator', { correlationValue: 'C AIR' }, 'correlationValue is "C AIR", in the CSV "B AIR"'],
  ])('sees a difference in %s', (_, change, difference) => {
    const { event, ...rest } = stored(0, 'OSLO');
    const found = audit(rows, [{ ...rest, event: { ...event, ...change } }, stored(1, 'ROME')]);
    expect(found.differences).toEqual([`row 0: ${difference}`]);
  });

  test('sees an event that belongs to no row', () => {
    const stranger = { ...stored(0, 'OSLO'), uuid: rowUuid(7) };
    expect(audit(rows, [stranger]).differences).toEqual([`event ${rowUuid(7)} belongs to no row`]);
  });
});

function stored(index: number, airport: string): StoredEvent {
  return {
    uuid: rowUuid(index),
    deliveries: 1,
    attributed: true,
    event: {
      event: 'bird_strike',
      correlationKey: 'operator',
      correlationValue: 'B AIR',
      source: 'custom',
      timestamp: '1991-02-01T00:00:00.000Z',
      uuid: rowUuid(index),
      payload: { 'Airport Name': airport, Speed: '' },
    },
  };
}

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../testing/virtual-clock.ts';
import { silentLogger } from '../../src/running/logger.ts';
import { Database } from '../../src/storage/database.ts';
import { EventStore } from '../../src/storage/event-store.ts';
import { RequestStore } from '../../src/storage/request-store.ts';
import { startRetention } from '../../src/storage/retention.ts';
import { event } from '../service.ts';

const REQUEST = {
  ...{
    receivedAt: '',
    method: 'POST',
    path: '/',
    status: 200,
    durationMs: 1,
    bytes: 1,
    events: 1,
    repeated: 0,
  },
  ...{ firstEvent: null, keyId: null, userAgent: null, error: null, isTaken: true, fault: null },
};

function setUp(maxEvents?: number) {
  const clock = new VirtualClock();
  const database = new Database();
  const events = new EventStore(database);
  const warnings: string[] = [];
  const errors: string[] = [];
  const logger = {
    ...silentLogger,
    warn: (_: object, message: string) => void warnings.push(message),
    error: (_: object, message: string) => void errors.push(message),
  };
  startRetention(events, new RequestStore(database), maxEvents, logger, clock);
  const add = (uuids: readonly number[]) =>
    events.add(
      events.stage(
        uuids.map((number) => {
          const uuid = `01234567-89ab-4cde-8f01-${String(number).padStart(12, '0')}`;
          return { event: event({ uuid }), text: JSON.stringify(event({ uuid })) };
        }),
      ),
      7,
      clock.now(),
    );
  return { clock, database, events, add, warnings, errors };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('retention', () => {
  it('keeps the newest events, and counts what is left', () => {
    const { clock, events, add } = setUp(10);
    add(upTo(5_000));
    add([4_999, 0]); // repeats
    expect(events.totals).toMatchObject({ unique: 5_000, received: 5_002 });
    clock.advance(1_000);
    expect(events.totals).toEqual({ oldest: 4_991, newest: 5_000, unique: 10, received: 11 });
    expect(events.count({ name: 'purchase' })).toEqual({ unique: 10, received: 11 });
  });

  it('keeps the newest million repeats, and counts all', () => {
    const { clock, database, events, add } = setUp();
    add([1, 2]);
    add([1, 2]);
    database.exec('UPDATE repeats SET id = id + 999998 WHERE id > 1'); // now one too many are there
    add([1]);
    clock.advance(1_000);
    expect(database.all('SELECT id, event_id FROM repeats ORDER BY id')).toEqual([
      { id: 1_000_000, event_id: 2 },
      { id: 1_000_001, event_id: 1 },
    ]);
    expect(events.totals).toMatchObject({ unique: 2, received: 5 });
  });

  it('keeps a million events unless told otherwise, and says once how to keep all', () => {
    const { clock, database, events, add, warnings } = setUp();
    database.exec('UPDATE totals SET newest_event = 999999');
    add([1]);
    clock.advance(1_000);
    expect([events.totals.unique, warnings]).toEqual([1, []]);
    database.exec('UPDATE events SET id = 1');
    add([2, 3]);
    clock.advance(1_000);
    expect(events.totals).toMatchObject({ newest: 1_000_002, unique: 2 });
    expect(warnings).toEqual([expect.stringContaining('--max-events all')]);
  });

  it('keeps all events where it is told to', () => {
    const { clock, database, events, add, warnings } = setUp(Number.POSITIVE_INFINITY);
    add([1]);
    database.exec('UPDATE totals SET newest_event = 2000000');
    add([2]);
    clock.advance(1_000);
    expect([events.totals.oldest, warnings]).toEqual([1, []]);
  });

  it('takes what comes again after it was removed for new', () => {
    const { clock, events, add } = setUp(1);
    add([1, 2]);
    clock.advance(1_000);
    expect(add([1, 2])).toEqual({ accepted: 2, repeated: 1, firstEvent: 3 });
    expect(events.find({ uuid: '01234567-89ab-4cde-8f01-000000000001' })).toHaveLength(1);
  });

  it('says once that it fails, and goes on when it can again', () => {
    const { clock, database, events, add, errors } = setUp(1);
    add([1, 2]);
    database.exec('PRAGMA query_only = ON');
    clock.advance(1_000);
    expect(errors).toEqual([expect.stringContaining('old events cannot be removed')]);
    database.exec('PRAGMA query_only = OFF');
    clock.advance(1_000);
    expect(events.totals).toMatchObject({ oldest: 2, unique: 1 });
  });

  it('keeps the newest requests', () => {
    const { clock, database } = setUp();
    database.exec("INSERT INTO requests (id, row) VALUES (1, '{}'), (200000, '{}')");
    const requests = new RequestStore(database);
    startRetention(new EventStore(database), requests, undefined, silentLogger, clock);
    requests.add(REQUEST);
    clock.advance(1_000);
    expect(requests.list().rows.map(({ id }) => id)).toEqual([200_001, 200_000]);
  });
});

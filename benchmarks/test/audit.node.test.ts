import { describe, expect, it } from 'vitest';
import { audit } from '../src/processes/audit.ts';
import { lifeOf, numberedUuid } from '../src/processes/numbered-uuid.ts';
import { UuidSet } from '../src/processes/uuid-set.ts';

const expectations = [{ life: 7, count: 4, except: [2] }];

function receive(...numbers: number[]): UuidSet {
  const events = new UuidSet();
  const texts = numbers.map((number) => JSON.stringify({ event: 'e', uuid: numberedUuid(7, number) }));
  expect(events.add(Buffer.from(`{"batch":[${texts.join(',')}]}`))).toBe(numbers.length);
  return events;
}

describe('the audit', () => {
  it('finds nothing where all arrived once', () => {
    const { seen, received } = receive(0, 1, 3);
    expect(audit(seen, received, { expectations, isComplete: true })).toEqual({
      ...{ expected: 3, lost: 0, duplicates: 0, unexpected: 0, examples: [] },
    });
  });

  it('names what is lost, counts repeats, and counts what should not have come', () => {
    const { seen, received } = receive(0, 0, 0, 2, 3);
    const found = audit(seen, received, { expectations, isComplete: true });
    expect(found).toMatchObject({ expected: 3, lost: 1, duplicates: 2, unexpected: 1 });
    expect(found.examples[0]).toContain('event 1 of life 7');
  });

  it('lets other events pass where the expectations are not complete', () => {
    const { seen, received } = receive(0, 1, 2, 3, 4);
    expect(audit(seen, received, { expectations, isComplete: false }).unexpected).toBe(0);
  });
});

describe('the search for uuids', () => {
  it('is not misled by a text that looks like one', () => {
    const events = new UuidSet();
    const text = JSON.stringify({ payload: { text: '"uuid":"no"' }, uuid: numberedUuid(1, 1) });
    events.add(Buffer.from(text));
    expect([...events.seen]).toEqual([numberedUuid(1, 1)]);
  });

  it('is not misled by a field whose name ends as it does', () => {
    const events = new UuidSet();
    events.add(Buffer.from(JSON.stringify({ my_uuid: numberedUuid(1, 2), uuid: numberedUuid(1, 1) })));
    expect([...events.seen]).toEqual([numberedUuid(1, 1)]);
  });

  it('finds them behind the mark of another format', () => {
    const events = new UuidSet('"insert_id":"');
    events.add(Buffer.from(`[{"insert_id":"${numberedUuid(1, 1)}","uuid":"no"}]`));
    expect([...events.seen]).toEqual([numberedUuid(1, 1)]);
  });

  it('reads back the life that a uuid was made for', () => {
    expect(lifeOf(numberedUuid(123_456, 5))).toBe(123_456);
  });
});

import { MOST_EVENT_BYTES } from '@sluice/core/event-bytes';
import { expect, it } from 'vitest';
import { decodeBody, encodeBody, MOST_BODY_BYTES } from '../../src/parcels/parcel-body.ts';
import { ParcelSegment } from '../../src/parcels/parcel-segment.ts';
import type { ParcelTable, StoredParcel } from '../../src/parcels/parcel-table.ts';

/** One event of so many bytes. */
function eventOf(bytes: number) {
  return { bytes: new Uint8Array(bytes), ends: Uint32Array.of(bytes), times: Float64Array.of(7) };
}

it('a parcel of the largest event that any option allows can be read', async () => {
  const event = eventOf(MOST_EVENT_BYTES);
  const body = await encodeBody(event, true);
  expect(body.isGzipped).toBe(true);
  expect(Buffer.compare((await decodeBody(body, 1))?.bytes ?? Buffer.of(), event.bytes)).toBe(0);
});

it('a small body that inflates to more than any parcel has is damaged', async () => {
  const body = await encodeBody(eventOf(MOST_BODY_BYTES), true);
  expect(body.bytes.length).toBeLessThan(1_000_000);
  // Not the events themselves, which a report of the test would print.
  expect((await decodeBody(body, 1)) === undefined).toBe(true);
});

it('parcels that are small only as they are stored are not all inflated at once', async () => {
  const body = await encodeBody(eventOf(MOST_EVENT_BYTES), true);
  const rows = [1, 2, 3, 4, 5].map((seq): StoredParcel => ({ seq, events: 1, body }));
  const asked: number[] = [];
  const read: ParcelTable['read'] = async (_slot, first, last) => {
    asked.push(first);
    return rows.filter(({ seq }) => seq >= first && seq <= last);
  };
  const tenure = { slot: 1, epoch: 1, outbox: undefined, isOwn: false, isLost: false };
  // The cast is safe: nothing else of it is used.
  const segment = new ParcelSegment(tenure, { read } as Partial<ParcelTable> as ParcelTable);
  for (const { seq } of rows) {
    const span = { from: seq, to: seq + 1 };
    segment.parcels.add({ ...span, bytes: body.bytes.length, at: undefined, rest: [span] });
  }
  for (const { seq } of rows) {
    const { events, to } = await segment.read({ from: seq, to: 6 }, { maxEvents: 9, maxBytes: 1_000_000 });
    expect([events.ends, to]).toEqual([Uint32Array.of(MOST_EVENT_BYTES), seq + 1]);
  }
  // Two of them at a time.
  expect(asked).toEqual([1, 3, 5]);
});

import type { Batch } from '../wait/batch.ts';
import { checksum } from './checksum.ts';

/**
 * An id of a batch by what is in it: the same bytes have the same id, on each try and in each life. The uuid of the first
 * event alone would not tell a batch from a part of it.
 */
export function batchId({ body, events: { bytes, ends } }: Batch): string {
  const first = new TextDecoder().decode(bytes.subarray(0, ends[0]));
  return [JSON.parse(first).uuid, ends.length, checksum(body)].join('-');
}

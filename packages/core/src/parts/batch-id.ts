import type { Batch } from '../wait/parcel.ts';
import { checksum } from './checksum.ts';

/**
 * Returns the id of a batch, made from its content: the same bytes have the same id, in each try and in each process. The uuid
 * of the first event alone would not distinguish a batch from a part of it.
 */
export function batchId({ body, events: { bytes, ends } }: Batch): string {
  const first = new TextDecoder().decode(bytes.subarray(0, ends[0]));
  return [JSON.parse(first).uuid, ends.length, checksum(body)].join('-');
}

import type { Batch } from '../wait/parcel.ts';

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, delivery: { idempotencyHeader: 'Idempotency-Key' }, parts: { idempotency } });
 */
export function idempotency(
  header: string | undefined,
): ((batch: Batch) => Readonly<Record<string, string>>) | undefined {
  if (!header) return undefined;
  /** By the body: a batch that failed may go again with fewer events. */
  const ids = new WeakMap<Uint8Array, string>();
  return (batch) => {
    const id = ids.get(batch.body) ?? batchId(batch);
    ids.set(batch.body, id);
    return { [header]: id };
  };
}

/**
 * The id of a batch, made from its content: the same bytes have the same id, in each try and in each process. The uuid of the first
 * event alone would not distinguish a batch from a part of it.
 */
function batchId({ body, texts }: Batch): string {
  const first = new TextDecoder().decode(texts[0]);
  return [JSON.parse(first).uuid, texts.length, checksum(body)].join('-');
}

/** FNV-1a, 32 bits, as eight hexadecimal digits. Enough to distinguish a few batches. */
function checksum(bytes: Uint8Array): string {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { EventBytes } from '@sluice/core';
import { MOST_EVENT_BYTES } from '@sluice/core/event-bytes';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Smaller bodies hardly shrink. */
const LEAST_BYTES = 1_024;
/** Events are written faster than a higher level compresses them. */
const LEVEL = 1;
const TIME_BYTES = 8;
const END_BYTES = 4;
/**
 * A body that inflates to more is damaged: a few hundred kilobytes can become a gigabyte. The largest that is written is one event,
 * or its dead letter, which has some kilobytes around it.
 */
export const MOST_BODY_BYTES: number = 2 * MOST_EVENT_BYTES;

/** What the table keeps of events. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly isGzipped: boolean;
}

/**
 * Events as one value: their bytes, when each was accepted (a double; NaN if unknown), and where each ends (32 bits); all little
 * endian. Copies the bytes before it returns.
 */
export async function encodeBody(events: EventBytes, mayCompress: boolean): Promise<Body> {
  const plain = join(events);
  if (!mayCompress || plain.length < LEAST_BYTES) return { bytes: plain, isGzipped: false };
  return { bytes: await compress(plain, { level: LEVEL }), isGzipped: true };
}

/** The events of a body. Undefined if it is damaged. */
export async function decodeBody(body: Body, count: number): Promise<EventBytes | undefined> {
  try {
    const limit = { maxOutputLength: MOST_BODY_BYTES };
    return split(body.isGzipped ? await decompress(body.bytes, limit) : body.bytes, count);
  } catch {
    return undefined;
  }
}

function join({ bytes, ends, times }: EventBytes): Uint8Array {
  const { length: count } = ends;
  const body = new Uint8Array(bytes.length + count * (TIME_BYTES + END_BYTES));
  body.set(bytes);
  const view = new DataView(body.buffer, bytes.length);
  for (const [index, end] of ends.entries()) {
    view.setFloat64(index * TIME_BYTES, times?.[index] ?? Number.NaN, true);
    view.setUint32(count * TIME_BYTES + index * END_BYTES, end, true);
  }
  return body;
}

function split(body: Uint8Array, count: number): EventBytes | undefined {
  const length = body.length - count * (TIME_BYTES + END_BYTES);
  if (length < 0) return undefined;
  const view = new DataView(body.buffer, body.byteOffset + length);
  const times = new Float64Array(count);
  const ends = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) {
    times[index] = view.getFloat64(index * TIME_BYTES, true);
    ends[index] = view.getUint32(count * TIME_BYTES + index * END_BYTES, true);
  }
  return ends.at(-1) === length ? { bytes: body.subarray(0, length), ends, times } : undefined;
}

import { gunzipSync } from 'node:zlib';

/** Matches an id in JSON, and in JSON inside a JSON string. */
const ID = /bench_id\\*"\s*:\s*\\*"([\w-]+)/g;
const GZIP_MAGIC = 0x8b1f;

/** The ids of the events in a request body, one for each occurrence. Reads JSON, gzip, and a form field of JSON or base64. */
export function eventIdsIn(body: Buffer): readonly string[] {
  const isGzip = body.length > 2 && body.readUInt16LE(0) === GZIP_MAGIC;
  const text = (isGzip ? gunzipSync(body) : body).toString();
  const form = text.startsWith('data=') ? (new URLSearchParams(text).get('data') ?? '') : undefined;
  const json =
    form === undefined || /^[[{]/.test(form) ? (form ?? text) : Buffer.from(form, 'base64').toString();
  return Array.from(json.matchAll(ID), ([, id = '']) => id);
}

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isDeeperThan } from '../events/json-text.ts';
import { Refusal } from '../events/refusal.ts';
import { messageOf, quote } from '../messages.ts';

const unzip = promisify(gunzip);

// Far more than real data has.
const DEEPEST = 10_000;

/** A JSON body: the value, and the text it was parsed from. */
export interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/** Limits of a body. */
export interface BodyBounds {
  /** Maximum size in bytes, as sent and after unpacking. */
  readonly maxBytes: number;
  /** Returns a smaller maximum, if a body of `size` bytes is refused for that. Default: none. */
  readonly smallerMax?: (size: number) => number | undefined;
  /** Advice in the error for a larger body. Default: `send smaller batches`. */
  readonly advice?: string;
  /** Whether the body may be gzipped. Default false. */
  readonly takesGzip?: boolean;
  /** Called with each part of the body that arrives. */
  readonly onChunk?: (chunk: Buffer) => void;
}

/** Reads a JSON body. Throws {@link Refusal}; never holds more than `maxBytes` of it. */
export async function readJsonBody(request: IncomingMessage, bounds: BodyBounds): Promise<JsonBody> {
  checkType(request, 'application/json');
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  const isGzipped = bounds.takesGzip === true && encoding.toLowerCase() === 'gzip';
  if (!isGzipped && encoding.toLowerCase() !== 'identity') {
    const allowed = bounds.takesGzip ? 'gzipped or without' : 'without';
    const message = `The body must be sent ${allowed} Content-Encoding, got ${quote(encoding)}.`;
    throw new Refusal('unsupported_content_encoding', message);
  }
  const read = await readBytes(request, bounds);
  const bytes = isGzipped ? await unpack(read, bounds) : read;
  if (!isUtf8(bytes)) throw new Refusal('malformed_json', 'The body must be JSON in UTF-8; it is not UTF-8.');
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const text = bytes.toString('utf8', start);
  if (isDeeperThan(text, DEEPEST)) {
    throw new Refusal('nested_too_deeply', `The body must not be nested more than ${DEEPEST} levels deep.`);
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    throw new Refusal('malformed_json', `The body must be JSON: ${messageOf(error)}`);
  }
}

/** Reads a text body, in UTF-8 or else Latin-1 (Windows-1252), that has the Content-Type `type` and is not gzipped. Throws {@link Refusal}. */
export async function readTextBody(
  request: IncomingMessage,
  type: string,
  bounds: BodyBounds,
): Promise<string> {
  checkType(request, type);
  const bytes = await readBytes(request, bounds);
  return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes);
}

function checkType({ headers }: IncomingMessage, wanted: string): void {
  const type = headers['content-type'];
  if (type?.split(';', 1)[0]?.trim().toLowerCase() === wanted) return;
  const got = type === undefined ? 'no Content-Type' : quote(type);
  throw new Refusal('unsupported_content_type', `Content-Type must be ${wanted}, got ${got}.`);
}

async function unpack(packed: Buffer, bounds: BodyBounds): Promise<Buffer> {
  const { maxBytes } = bounds;
  // A small body may unpack to an enormous one. Unpacking stops as soon as the limit is exceeded.
  const bytes = await unzip(packed, { maxOutputLength: maxBytes }).catch((error: unknown) => {
    if (error instanceof RangeError) checkSize(maxBytes + 1, bounds);
    const message = `The body must be gzip, as Content-Encoding says: ${messageOf(error)}`;
    throw new Refusal('malformed_gzip', message);
  });
  checkSize(bytes.length, bounds);
  return bytes;
}

function checkSize(
  size: number,
  { maxBytes, smallerMax, advice = 'send smaller batches' }: BodyBounds,
): void {
  const most = smallerMax?.(size) ?? maxBytes;
  if (size <= most) return;
  throw new Refusal('body_too_large', `The body must not be larger than ${most} bytes: ${advice}.`);
}

async function readBytes(request: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  checkSize(Number(request.headers['content-length'] ?? 0), bounds);
  let chunks: Buffer[] = [];
  let size = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        bounds.onChunk?.(chunk);
        try {
          checkSize(size, bounds);
          chunks.push(chunk);
        } catch (error) {
          reject(error); // the rest of the body is discarded
        }
      });
      request.on('end', resolve);
      // If a client disconnects before the end of the body, that is no failure of the emulator.
      const fail = () => reject(new Refusal('malformed_request', 'The body ended too early.'));
      if (request.destroyed) fail();
      for (const gone of ['error', 'close']) request.on(gone, fail);
    });
    return Buffer.concat(chunks);
  } finally {
    chunks = []; // the request is kept, and its listeners hold this variable
  }
}

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isDeeperThan } from './json-text.ts';
import { quote } from './quote.ts';
import { Refusal } from './refusal.ts';

// Far beyond real data. Tens of millions of levels keep JSON.parse busy for seconds and in gigabytes.
const DEEPEST = 100_000;

/** A JSON body: the value, and the text it was parsed from. */
export interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/** Reads a JSON body of at most `maxBytes`. Throws {@link Refusal}; never holds more than `maxBytes` of it. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<JsonBody> {
  checkHeaders(request);
  const bytes = await readBytes(request, maxBytes);
  if (!isUtf8(bytes)) throw new Refusal('malformed_json', 'The body must be JSON in UTF-8; it is not UTF-8.');
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const text = bytes.toString('utf8', start);
  if (isDeeperThan(text, DEEPEST)) {
    throw new Refusal('nested_too_deeply', `The body must not be nested more than ${DEEPEST} levels deep.`);
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal('malformed_json', `The body must be JSON: ${reason}`);
  }
}

function checkHeaders({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (type?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    const got = type === undefined ? 'no Content-Type' : quote(type);
    throw new Refusal('unsupported_content_type', `Content-Type must be application/json, got ${got}.`);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal(
      'unsupported_content_encoding',
      `The body must be sent without Content-Encoding, got ${quote(encoding)}.`,
    );
  }
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): Refusal =>
    new Refusal(
      'body_too_large',
      `The body must not be larger than ${maxBytes} bytes: send smaller batches.`,
    );
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
      } else {
        chunks = []; // what still arrives is discarded
        reject(tooLarge());
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Refusal('malformed_request', 'The body ended too early.')));
  });
}

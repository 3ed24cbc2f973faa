import { tried } from '@sluice/protocol/toolbox';
import { type BodySource, Refusal } from '../exchange.ts';

const GZIP = [0x1f, 0x8b];
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** What `[` and `{` have in common, and `]` and `}`: they differ in one bit. */
const [OPEN, CLOSE, BIT] = [0x7b, 0x7d, 0x20];

/** A payload may have 501 levels, and is inside an event in a batch in a body. */
const MOST_DEPTH = 504;

/** Of objects and arrays. An event of 256 KiB cannot have more; a megabyte of them blocks the process for 0.2 s. */
const MOST_OPENED = 100_000;

/** Throws a refusal if it is not JSON, nested too deeply, or has too many objects and arrays. */
export function parseJson(bytes: Uint8Array): unknown {
  // What is that deep has as many brackets that open, and as many that close.
  if (bytes.length > 2 * MOST_DEPTH) checkBrackets(bytes);
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch {
    throw new Refusal('malformed');
  }
}

/** The body that a framework has read, or parsed too, as JSON. It takes the same road as any other: the same bounds hold for it. */
export function sourceOf(parsed: unknown): BodySource {
  return {
    read(onChunk, onEnd) {
      onChunk(parsed instanceof Uint8Array ? parsed : Buffer.from(textOf(parsed)));
      onEnd();
    },
    stop() {},
  };
}

/** Whether a framework has left a gzipped body as it came. No JSON begins so. */
export function isGzip(parsed: unknown): boolean {
  return parsed instanceof Uint8Array && parsed[0] === GZIP[0] && parsed[1] === GZIP[1];
}

/** JSON that is nested too deeply for the engine is malformed here too. */
function textOf(parsed: unknown): string {
  return typeof parsed === 'string' ? parsed : (tried(() => JSON.stringify(parsed)) ?? '');
}

/** To parse a megabyte of `[` blocks the process for a quarter of a second; this takes a millisecond. */
function checkBrackets(json: Uint8Array): void {
  const { length } = json;
  let [depth, opened] = [0, 0];
  for (let at = 0; at < length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if ((byte | BIT) === OPEN) {
      depth += 1;
      opened += 1;
      if (depth > MOST_DEPTH) throw new Refusal('malformed');
      if (opened > MOST_OPENED) throw new Refusal('too_large');
    } else if ((byte | BIT) === CLOSE) depth -= 1;
  }
}

/** The place of the quote that ends the string; the end of the text if there is none. */
function endOfString(json: Uint8Array, start: number): number {
  const { length } = json;
  let at = start;
  while (at < length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

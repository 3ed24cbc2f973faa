import { memberText } from '../../events/json-text.ts';

// Text after this many characters is not searched: an event of megabytes would keep the index busy.
const MOST_CHARACTERS = 65_536;

const SIMPLE: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/' };

/** The payload's JSON text, cut after `most` characters; empty if the event has no payload. */
export function payloadText(body: string, most: number = MOST_CHARACTERS): string {
  const text = memberText(body, 'payload') ?? '';
  return text.length > most ? text.slice(0, most) : text;
}

/** Resolves the escapes of a JSON text. The result is for finding words, not for parsing. */
export function withoutEscapes(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, character: string) => {
    if (hex === undefined) return SIMPLE[character] ?? ' ';
    return hex === '0000' ? ' ' : String.fromCharCode(Number.parseInt(hex, 16));
  });
}

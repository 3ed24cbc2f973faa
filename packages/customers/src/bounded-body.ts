import type { FetchResponse } from './fetch/fetch.ts';

/** Reads a body as UTF-8, or gives undefined as soon as it has more than `maxBytes` (counted after decompression). */
export async function readBounded(
  body: FetchResponse['body'],
  maxBytes: number,
): Promise<string | undefined> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    if (!value) continue;
    bytes += value.length;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(value, { stream: true });
  }
}

import type { FetchResponse } from './platform/fetch.ts';

/** Reads a body as UTF-8. Returns undefined as soon as it has more than `maxBytes` (counted after decompression). */
export async function readBounded(
  body: FetchResponse['body'],
  maxBytes: number,
): Promise<string | undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let room = maxBytes; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    room -= value?.length ?? 0;
    if (room < 0) return undefined;
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

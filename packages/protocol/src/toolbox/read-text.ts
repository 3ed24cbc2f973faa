/** The part of the body of an answer that is used. */
interface Body {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel?(): Promise<unknown>;
  };
}

/**
 * Reads the first `mostBytes` of a body as UTF-8 (counted after decompression). Rejects if the body cannot be read to there.
 *
 * @param parts The text is added to them.
 * @returns Whether the body has no more bytes.
 */
export async function readText(
  body: Body | null | undefined,
  mostBytes: number,
  parts: string[],
): Promise<boolean> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  for (let left = mostBytes; reader && left >= 0; ) {
    const { done, value } = await reader.read();
    if (done) return true;
    parts.push(decoder.decode(value?.subarray(0, left), { stream: true }));
    left -= value?.length ?? 0;
  }
  // Ends what was not read. Whether that succeeds does not matter, nor how long it takes.
  reader?.cancel?.().catch(() => {});
  return !reader;
}

import type { Gzip } from './compression.ts';

/** Bytes that are compressed, or unpacked and compared, before other tasks get a turn. Unpacking makes several times as many. */
const SLICE_BYTES = 16 * 1024;
const PACKED_SLICE_BYTES = 4 * 1024;

/** Older browsers do not have these streams: there, creating one throws. */
export const streamGzip: Gzip = {
  compress: async (body) => {
    const packed = slices(body, SLICE_BYTES).pipeThrough(new CompressionStream('gzip'));
    return new Uint8Array(await new Response(packed).arrayBuffer());
  },
  matches: async (packed, body) => {
    let at = 0;
    const compare = new WritableStream<Uint8Array>({
      write(chunk) {
        for (const byte of chunk) if (byte !== body[at++]) throw new Error('it differs');
      },
    });
    await slices(packed, PACKED_SLICE_BYTES).pipeThrough(new DecompressionStream('gzip')).pipeTo(compare);
    return at === body.length;
  },
};

/** These streams work on this thread, on all bytes that they have. So they get slices, and each slice is read in its own task. */
function slices(bytes: Uint8Array, sliceBytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at >= blob.size) return controller.close();
      const slice = blob.slice(at, at + sliceBytes);
      at += sliceBytes;
      controller.enqueue(new Uint8Array(await slice.arrayBuffer()));
    },
  });
}

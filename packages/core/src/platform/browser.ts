import type { Clock } from '../clock.ts';
import type { Gzip } from '../compression.ts';
import { IndexedDbJournal } from '../journals/indexeddb-journal.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { TextWriter } from '../ring-buffer.ts';
import { FetchTransport } from '../transports/fetch-transport.ts';
import type { Platform } from './platform.ts';

const encoder = new TextEncoder();

const text: TextWriter = {
  allocate: (bytes) => new Uint8Array(bytes),
  write: (string, target, offset) => encoder.encodeInto(string, target.subarray(offset)).written,
  byteLength: (string) => encoder.encode(string).length,
  blockBytes: 32 * 1024,
};

const clock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** How much is compressed, or unpacked to several times as much and compared, before other tasks have their turn. */
const SLICE_BYTES = 16 * 1024;
const PACKED_SLICE_BYTES = 4 * 1024;

/** Older browsers lack such streams: then making one throws. */
const gzip: Gzip = {
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

/** Such streams work on this thread, on all that is there: so they get slices, each read in a task of its own. */
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

const lifecycle: Lifecycle = {
  listen({ hide, online }) {
    // Workers have neither a document nor pagehide; there is nothing to hide from.
    const page = globalThis.document;
    const onVisibility = () => {
      if (page.visibilityState === 'hidden') hide();
    };
    page?.addEventListener('visibilitychange', onVisibility);
    globalThis.addEventListener?.('pagehide', hide);
    globalThis.addEventListener?.('online', online);
    return () => {
      page?.removeEventListener('visibilitychange', onVisibility);
      globalThis.removeEventListener?.('pagehide', hide);
      globalThis.removeEventListener?.('online', online);
    };
  },
};

export const platform: Platform = {
  text,
  clock,
  lifecycle,
  gzip,
  commitIntervalMs: 250,
  createJournal({ account, clock, part = '' }) {
    if (!hasIndexedDb()) return undefined;
    const locks = globalThis.navigator?.locks as LockManager | undefined;
    return new IndexedDbJournal(`sluice${part && ` ${part}`} ${hash(account)}`, locks, clock);
  },
  exists: async () => true,
  createTransport: () => new FetchTransport(),
  createAbortController: () => new AbortController(),
};

/** Some browsers hide it where nothing may be stored, some throw. */
function hasIndexedDb(): boolean {
  try {
    return Boolean(globalThis.indexedDB);
  } catch {
    return false;
  }
}

/** FNV-1a, 32 bits: tells the few accounts of one origin apart, and keeps the key out of the database's name. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}

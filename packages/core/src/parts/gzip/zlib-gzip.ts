import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Gzip } from './compression.ts';

const pack = promisify(zlib.gzip);
const unpack = promisify(zlib.gunzip);

/** Runs on zlib's threads. For a batch, level 3 makes 5 % more bytes than level 6, in half of the time. */
export const zlibGzip: Gzip = {
  compress: (body) => pack(body, { level: 3 }),
  matches: async (packed, body) => {
    const unpacked = await unpack(packed, { maxOutputLength: body.length });
    return unpacked.equals(body);
  },
};

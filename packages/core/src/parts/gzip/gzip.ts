/** Gzipped bodies, for pages: `createTracker({ compress: true, parts: { gzip } })`. In Node a tracker has this already. */
import type { Clock } from '@sluice/protocol/toolbox';
import { Compression } from './compression.ts';
import { streamGzip } from './stream-gzip.ts';

/** Creates the compression of a tracker. */
export type GzipPart = (clock: Clock) => Compression;

/** Uses the compression streams of the platform. */
export const gzip: GzipPart = (clock) => new Compression(streamGzip, clock);

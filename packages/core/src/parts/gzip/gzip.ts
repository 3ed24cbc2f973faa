import type { Clock } from '@sluice/protocol/toolbox';
import { Compression, streamGzip } from './compression.ts';

/** Creates the compression of a tracker. */
export type GzipPart = (clock: Clock) => Compression;

/**
 * Gzipped bodies, for pages. Uses the compression streams of the platform. In Node a tracker has this already.
 * @example createTracker({ ...options, compress: true, parts: { gzip } });
 */
export const gzip: GzipPart = (clock) => new Compression(streamGzip, clock);

import type { Clock } from '@sluice/protocol/toolbox';
import { Compression, streamGzip } from './compression.ts';

/**
 * Gzipped bodies, for pages. Uses the compression streams of the platform. In Node a tracker has this already.
 * @example createTracker({ ...options, compress: true, parts: { gzip } });
 */
export function gzip(clock: Clock): Compression {
  return new Compression(streamGzip, clock);
}

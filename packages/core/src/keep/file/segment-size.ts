/** One write: large enough to be worth a system call, small enough not to delay the next one. */
export const WRITE_BYTES: number = 512 * 1024;
/** Default of `storage.maxBytes` in Node, if that is less than `MOST_OF_DISK`. */
export const MOST_BYTES: number = 2 ** 30;
/** A journal without a limit of its own may take this part of its disk. */
export const MOST_OF_DISK = 0.1;
/** The journal frees whole segments, so at least this many must fit within its limit. */
const LEAST_SEGMENTS = 8;

/** How large a segment may become in a journal of at most so many bytes. */
export function segmentSize(wanted: number, journalBytes: number): number {
  return Math.min(wanted, Math.floor(journalBytes / LEAST_SEGMENTS));
}

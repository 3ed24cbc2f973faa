/** The name of a segment. The names of one process sort in the order of creation. */
export function segmentName(number: number): string {
  return String(number).padStart(8, '0');
}

export const SEGMENT_SUFFIX = '.segment';
export const ACKNOWLEDGEMENTS_SUFFIX = '.acks';
export const DAMAGED_SUFFIX = '.damaged';
/** A segment that is to replace others, and is not complete. */
export const MERGING_SUFFIX = '.merging';

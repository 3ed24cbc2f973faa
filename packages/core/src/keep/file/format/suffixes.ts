/** The name of a segment. The names of one process sort in the order of creation. */
export function segmentName(number: number): string {
  return String(number).padStart(8, '0');
}

export const SEGMENT_SUFFIX = '.segment';
export const ACKNOWLEDGEMENTS_SUFFIX = '.acks';

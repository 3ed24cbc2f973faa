export const SEGMENT_SUFFIX = '.segment';
export const ACKNOWLEDGEMENTS_SUFFIX = '.acks';
export const DAMAGED_SUFFIX = '.damaged';
/** A merged segment that is not complete. */
export const MERGING_SUFFIX = '.merging';

export const SEGMENT_SUFFIX = '.segment';
export const ACKNOWLEDGEMENTS_SUFFIX = '.acks';
export const DAMAGED_SUFFIX = '.damaged';

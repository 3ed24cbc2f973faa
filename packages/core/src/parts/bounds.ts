/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, storage: { maxBytes }, parts: { bounds } });
 */
export const bounds: object = {};

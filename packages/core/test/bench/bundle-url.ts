import { inject } from 'vitest';

/** The address of core, or of its entry for tests, as one file: a frame would load the hundred and fifty sources one by one. */
export function bundleUrl(entry: 'index' | 'testing'): string {
  return URL.createObjectURL(new Blob([inject('files')[entry]], { type: 'text/javascript' }));
}

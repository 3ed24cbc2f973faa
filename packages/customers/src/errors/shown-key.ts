import type { Redact } from '@sluice/protocol/toolbox';

/** The primary key in an error; not the API key, if somebody gave that in its place. */
export function shownKey(primaryKey: string, redact: Redact): string {
  const shown = redact(primaryKey);
  return shown === '[key]' ? shown : primaryKey;
}

import type { AttributionPreview } from '../../admin/audience-contract.ts';
import type { Database } from '../database.ts';
import { unescapeText } from '../events/escaped-text.ts';
import { ATTRIBUTED } from '../events/event-conditions.ts';

// Enough to show what a change means, and quick to read however many events are stored.
const NEWEST = 10_000;

/** How many of the newest events belong to a known customer now, and how many would if `isKnown` decided. */
export function previewAttribution(
  database: Database,
  isKnown: (correlationKey: string, correlationValue: string) => boolean,
): AttributionPreview {
  const rows = database
    .prepare(
      `SELECT correlation_key AS key, correlation_value AS value, ${ATTRIBUTED} AS attributed
       FROM events ORDER BY id DESC LIMIT ${NEWEST}`,
    )
    .all() as { key: string; value: string; attributed: number }[];
  const then = rows.filter(({ key, value }) => isKnown(unescapeText(key), unescapeText(value)));
  return {
    looked: rows.length,
    attributedNow: rows.filter(({ attributed }) => attributed === 1).length,
    attributedThen: then.length,
  };
}

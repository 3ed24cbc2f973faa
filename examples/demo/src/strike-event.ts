import { createHash } from 'node:crypto';
import { DATE_COLUMN, OPERATOR_COLUMN, type StrikeRow } from './bird-strikes.ts';

export const EVENT_NAME = 'bird_strike';
/** Attribute of a customer that identifies it: the primary key to select. */
export const PRIMARY_KEY = 'operator';

/** What a report becomes: the arguments of `track()`. */
export interface StrikeEvent {
  readonly name: string;
  readonly payload: Readonly<Record<string, string>>;
  readonly options: { readonly correlationValue: string; readonly timestamp: string; readonly uuid: string };
}

/** The event of a row. An empty cell stays an empty string: every payload has the same fields, as the CSV has them. */
export function toEvent(row: StrikeRow, index: number): StrikeEvent {
  const { [DATE_COLUMN]: date = '', [OPERATOR_COLUMN]: _, ...payload } = row;
  return {
    name: EVENT_NAME,
    payload,
    options: { correlationValue: operatorOf(row), timestamp: `${date}T00:00:00.000Z`, uuid: rowUuid(index) },
  };
}

/** Who flew. No event goes without a customer, so a report that names no operator is filed as the CSV itself does. */
export function operatorOf(row: StrikeRow): string {
  return row[OPERATOR_COLUMN]?.trim() || 'UNKNOWN';
}

/**
 * The same UUID for a row on each run (version 5 in form). It comes from the row's number and not from its cells:
 * some reports are alike to the letter, and are two events all the same.
 */
export function rowUuid(index: number): string {
  const bytes = createHash('sha1').update(`birdstrikes.csv row ${index}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

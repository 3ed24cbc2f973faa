import { createHash } from 'node:crypto';
import { DATE_COLUMN, OPERATOR_COLUMN, type StrikeRow } from './bird-strikes.ts';

export const EVENT_NAME = 'bird_strike';
/** The attribute that identifies a customer: the primary key of the service. */
export const PRIMARY_KEY = 'operator';

/** A report as the arguments of `track()`. */
export interface StrikeEvent {
  readonly name: string;
  readonly payload: Readonly<Record<string, string>>;
  readonly options: { readonly correlationValue: string; readonly timestamp: string; readonly uuid: string };
}

/** Makes the event of a row. An empty cell stays an empty string, so every payload has the same fields. */
export function toEvent(row: StrikeRow, index: number): StrikeEvent {
  const { [DATE_COLUMN]: date = '', [OPERATOR_COLUMN]: _, ...payload } = row;
  return {
    name: EVENT_NAME,
    payload,
    options: { correlationValue: operatorOf(row), timestamp: `${date}T00:00:00.000Z`, uuid: rowUuid(index) },
  };
}

/** The operator of the aircraft. Every event needs a customer, so a row without one gets `UNKNOWN`, as in the CSV itself. */
export function operatorOf(row: StrikeRow): string {
  return row[OPERATOR_COLUMN]?.trim() || 'UNKNOWN';
}

/**
 * The UUID of a row, the same in each run (in the form of version 5). It is made from the number of the row, not from its
 * cells: some rows are identical, but are still different events.
 */
export function rowUuid(index: number): string {
  const bytes = createHash('sha1').update(`birdstrikes.csv row ${index}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

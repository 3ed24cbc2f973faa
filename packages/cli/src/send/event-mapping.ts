import type { TrackOptions } from '@sluice/core';
import { UsageError } from '../exit-codes.ts';
import { isExact } from './exact-numbers.ts';

/** An event to be tracked. */
export interface MappedEvent {
  readonly name: string;
  readonly payload: object | undefined;
  readonly options: TrackOptions;
}

/** How records become events. */
export interface MappingFlags {
  readonly event?: string;
  readonly customer?: string;
  readonly map?: string;
  readonly numbers?: string;
}

const FIELDS = ['event', 'correlationValue', 'timestamp', 'uuid', 'source'] as const;
const NO_CUSTOMER = 'it has no customer: give --customer VALUE or --map correlationValue=COLUMN';
/** Characters of the names of columns in a message. */
const MOST_NAMES = 200;
const EVENT_FIELDS: ReadonlySet<string> = new Set([...FIELDS, 'correlationKey', 'payload']);

type Field = (typeof FIELDS)[number];

/** Makes events of records. A record is an event itself, or a row whose columns are fields of an event and its payload. */
export class EventMapping {
  readonly #fixed: { readonly event?: string; readonly customer?: string };
  readonly #columns: ReadonlyMap<Field, string>;
  readonly #numbers: ReadonlySet<string>;
  readonly #isRow: boolean;
  /** Whether all rows have the same columns, and these are still to be looked at. */
  #isUnseenTable: boolean;
  readonly #correlationKey: string;

  /** Throws a UsageError for a wrong flag. */
  constructor(flags: MappingFlags, correlationKey: string, isCsv: boolean) {
    this.#fixed = flags;
    this.#columns = readMap(flags.map);
    this.#numbers = new Set(flags.numbers?.split(','));
    this.#isRow = isCsv || flags.event !== undefined || flags.map !== undefined;
    this.#isUnseenTable = isCsv;
    this.#correlationKey = correlationKey;
  }

  /** Throws an Error that says why the record is no event, and a UsageError if the flags name columns that the file does not have. */
  eventOf(value: unknown): MappedEvent {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error('it is no object');
    const record: Readonly<Record<string, unknown>> = { ...value };
    return this.#isRow ? this.#ofRow(record) : this.#ofEvent(record);
  }

  #ofEvent(record: Readonly<Record<string, unknown>>): MappedEvent {
    const unknown = Object.keys(record).find((name) => !EVENT_FIELDS.has(name));
    if (unknown !== undefined)
      throw new Error(
        `"${unknown}" is no field of an event: with --event or --map, all columns become the payload`,
      );
    const { event, correlationKey = this.#correlationKey, payload, ...options } = record;
    if (correlationKey !== this.#correlationKey)
      throw new Error(
        `its correlationKey is "${correlationKey}", and --correlation-key is "${this.#correlationKey}"`,
      );
    const { customer = options.correlationValue } = this.#fixed;
    if (customer === undefined) throw new Error(NO_CUSTOMER);
    // The tracker checks them, and says what is wrong.
    return {
      name: event as string,
      payload: payload as object,
      options: { ...options, correlationValue: customer as string },
    };
  }

  #ofRow(record: Readonly<Record<string, unknown>>): MappedEvent {
    if (this.#isUnseenTable) this.#check(record);
    const rest: Record<string, unknown> = { ...record };
    const read = (field: Field): string | undefined => {
      const column = this.#columns.get(field) ?? field;
      const value = record[column];
      delete rest[column];
      if (value === undefined || value === null || value === '') return undefined;
      if (typeof value === 'object') throw new Error(`"${column}" is no text: ${JSON.stringify(value)}`);
      return String(value);
    };
    const name = this.#fixed.event ?? read('event');
    if (name === undefined) throw new Error('it has no event: give --event NAME or --map event=COLUMN');
    const time = read('timestamp');
    const named = read('correlationValue');
    const correlationValue = this.#fixed.customer ?? named;
    if (correlationValue === undefined) throw new Error(NO_CUSTOMER);
    const options = {
      correlationValue,
      uuid: read('uuid'),
      source: read('source'),
      timestamp: time === undefined ? undefined : readTime(time),
    };
    for (const column of this.#numbers) {
      const text = rest[column];
      if (typeof text !== 'string') continue;
      if (text.trim() === '') delete rest[column];
      else rest[column] = readNumber(column, text);
    }
    return { name, payload: rest, options };
  }

  #check(record: object): void {
    const named = [...this.#columns.values(), ...this.#numbers];
    const missing = named.find((column) => !(column in record));
    if (missing !== undefined)
      throw new UsageError(
        `there is no column "${missing}": correct --map or --numbers; there are ${Object.keys(record).join(', ').slice(0, MOST_NAMES)}`,
      );
    this.#isUnseenTable = false;
  }
}

function readNumber(column: string, text: string): number {
  const number = Number(text);
  if (/^\s*-?\d+\s*$/.test(text) && !isExact(text.trim()))
    throw new Error(`JavaScript cannot hold the number ${text.trim()}: leave "${column}" out of --numbers`);
  if (Number.isFinite(number)) return number;
  throw new Error(`"${column}" is no number: ${JSON.stringify(text)}`);
}

/** ISO 8601, milliseconds since 1970, or any other date that JavaScript reads. */
function readTime(text: string): number {
  const time = /^\d{11,}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`its timestamp is no time: "${text}"`);
  return time;
}

function readMap(text = ''): ReadonlyMap<Field, string> {
  const columns = new Map<Field, string>();
  for (const pair of text === '' ? [] : text.split(',')) {
    const [given = '', column = '', ...more] = pair.split('=');
    const field = FIELDS.find((one) => one === given);
    if (field === undefined || column === '' || more.length > 0)
      throw new UsageError(`--map must be field=column with a field of ${FIELDS.join(', ')}, got "${pair}"`);
    if (columns.has(field)) throw new UsageError(`--map names a column for ${field} twice: leave one out`);
    columns.set(field, column);
  }
  return columns;
}

import type { TrackerFilter } from '../../src/admin/contract.ts';

const FIELDS = [
  'text',
  'name',
  'correlationValue',
  'source',
  'payload',
  'from',
  'to',
  'attributed',
  'keys',
] as const satisfies readonly FilterField[];

/** A field by which events can be searched; or `keys`: what of their payloads is shown in columns. */
export type FilterField = keyof TrackerFilter | 'keys';

/** Which events are shown: the fields that are set, none of them empty. */
export type EventFilter = Readonly<Partial<Record<FilterField, string>>>;

/** Reads the filter from an address. */
export function readFilter(query: URLSearchParams): EventFilter {
  const given = FIELDS.map((field) => [field, query.get(field) ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value.trim() !== ''));
}

/** The filter with one field set. An empty value removes the field. */
export function withField(filter: EventFilter, field: FilterField, value: string): EventFilter {
  const { [field]: _, ...others } = filter;
  return value.trim() === '' ? others : { ...others, [field]: value };
}

/** Whether the filter is empty, so that all events match. */
export function isOpen(filter: EventFilter): boolean {
  return Object.keys(filter).every((field) => field === 'keys');
}

/** The keys that are shown in columns. */
export function keysOf({ keys = '' }: EventFilter): string[] {
  return keys.split(',').flatMap((key) => key.trim().replace(/^payload\./, '') || []);
}

/** The path of a tracker route, for the events that match. */
export function trackerPath(
  route: string,
  filter: EventFilter,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...filter, ...more });
  return `/tracker${route}${query.size === 0 ? '' : `?${query}`}`;
}

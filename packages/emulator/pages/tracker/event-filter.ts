import { computed, type ReadonlySignal } from '@preact/signals';
import type { TrackerFilter } from '../../src/admin/contract.ts';
import { link, pushRoute, route } from '../shell/route.ts';

/** A field by which events can be searched; or `keys`: what of their payloads is shown in columns. */
export type FilterName = keyof TrackerFilter | 'keys';

/** Which events are shown: the fields that are set, none of them empty. */
export type EventFilter = Readonly<Partial<Record<FilterName, string>>>;

/** The filter that the address has. */
export const filter: ReadonlySignal<EventFilter> = computed(() =>
  Object.fromEntries([...route.value.query].filter(([, value]) => value.trim() !== '')),
);

/** Goes to the address with another filter. */
export function setFilter(changed: EventFilter): void {
  const isTyped = filter.peek().text !== changed.text;
  pushRoute(link(['tracker', ...route.peek().rest], changed), isTyped ? 'text' : '');
}

/** The filter with one field set. An empty value removes the field. */
export function withField(field: FilterName, value: string): EventFilter {
  const { [field]: _, ...others } = filter.value;
  return value.trim() === '' ? others : { ...others, [field]: value };
}

/** Whether a filter is empty, so that all events match. */
export function isOpen(filter: EventFilter): boolean {
  return Object.keys(filter).every((field) => field === 'keys');
}

/** The keys that are shown in columns. */
export function shownKeys(): string[] {
  return (filter.value.keys ?? '').split(',').flatMap((key) => key.trim().replace(/^payload\./, '') || []);
}

/** The path of a tracker route, for the events that match the filter. */
export function trackerPath(route: string, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...filter.value, ...more });
  return `/tracker${route}${query.size === 0 ? '' : `?${query}`}`;
}

import { computed, type ReadonlySignal } from '@preact/signals';
import type { TrackerFilter } from '../../src/admin/contract.ts';
import { type Query, route } from '../shell/route.ts';

/** A field by which events can be searched; or `keys`: what of their payloads is shown in columns. */
export type FilterName = keyof TrackerFilter | 'keys';

/** Which events are shown, as the address says: the fields that are set, none of them empty. */
export const filter: ReadonlySignal<Partial<Record<FilterName, string>>> = computed(() =>
  Object.fromEntries([...route.value.query].filter(([, value]) => value.trim() !== '')),
);

/** Whether a filter is empty, so that all events match. */
export function isOpen(filter: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(filter).every((field) => field === 'keys');
}

/** The keys that are shown in columns. */
export function shownKeys(): string[] {
  return (filter.value.keys ?? '').split(',').flatMap((key) => key.trim().replace(/^payload\./, '') || []);
}

/** The path of a tracker route, for the events that match the filter. */
export function trackerPath(route: string, more: Query = {}): string {
  const query = new URLSearchParams({ ...filter.value, ...more });
  return `/tracker${route}${query.size === 0 ? '' : `?${query}`}`;
}

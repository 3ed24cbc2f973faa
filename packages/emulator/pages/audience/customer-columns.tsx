import type { CustomerRow } from '../../src/admin/audience-contract.ts';
import { Menu } from '../parts/dialog.tsx';
import type { Column } from '../parts/list.tsx';
import { shownText } from '../parts/text.tsx';
import { decode, route, setQuery } from '../shell/route.ts';

const MOST_AT_FIRST = 4;
const PLACES = ['below', 'aside'] as const;

/** The value of an attribute as a person reads it: a string as it is, everything else as JSON. */
export function attributeText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** By which attribute the list is sorted, as the address says; by none, the newest customers come first. */
export function readOrder(): { readonly sort: string; readonly descending: string } {
  const { sort = '' } = route.value.query;
  const isDescending = sort.startsWith('-');
  return { sort: sort.slice(Number(isDescending)), descending: String(isDescending) };
}

/** The names of the attributes that the known rows have, most frequent first. */
export function namesIn(rows: readonly CustomerRow[]): string[] {
  const counts = new Map<string, number>();
  for (const { attributes } of rows)
    for (const name of Object.keys(attributes)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
}

/** The attributes that are columns, as the address says. By default they are the first of `names`. */
function shownNames(names: readonly string[]): readonly string[] {
  const { columns } = route.value.query;
  return columns?.split(',').map(decode).filter(Boolean) ?? names.slice(0, MOST_AT_FIRST);
}

/** The columns of the list of customers: the primary key, and attributes. */
export function customerColumns(primaryKey: string, names: readonly string[]): Column<CustomerRow>[] {
  return [
    {
      head: <SortButton name={primaryKey} />,
      width: 'minmax(160px, 1.5fr)',
      place: 'main',
      cell: ({ primaryKeyValue: value }) =>
        value === null ? <span class="badge warn">no primary key</span> : <strong>{shownText(value)}</strong>,
    },
    ...shownNames(names).map((name, index) => ({
      head: <SortButton key={name} name={name} />,
      width: 'minmax(0, 1fr)',
      place: PLACES[index],
      cell: ({ attributes }: CustomerRow) => (
        <bdi title={name}>
          {Object.hasOwn(attributes, name) && shownText(attributeText(attributes[name]))}
        </bdi>
      ),
    })),
  ];
}

/** The head of a column. It sorts by the column: upwards, downwards, and not at all. */
function SortButton({ name }: { readonly name: string }) {
  const { sort, descending } = readOrder();
  const isSorted = name === sort;
  const isDescending = descending === 'true';
  const next = !isSorted ? name : isDescending ? '' : `-${name}`;
  return (
    <button
      type="button"
      class="quiet"
      title={`Sort by ${shownText(name)}`}
      aria-pressed={isSorted}
      onClick={() => setQuery({ sort: next })}
    >
      {shownText(name)}
      {isSorted && (isDescending ? ' ▼' : ' ▲')}
    </button>
  );
}

/** Chooses the attributes that are columns. */
export function ColumnsMenu({ names }: { readonly names: readonly string[] }) {
  const shown = shownNames(names);
  const toggle = (name: string) => {
    const chosen = shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name];
    setQuery({ columns: chosen.map(encodeURIComponent).join(',') || ',' });
  };
  return (
    <Menu label="Columns">
      {shown.length + names.length === 0 && 'No other attributes yet'}
      {[...new Set([...shown, ...names])].map((name) => (
        <label key={name} class="row">
          <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} />
          {shownText(name)}
        </label>
      ))}
    </Menu>
  );
}

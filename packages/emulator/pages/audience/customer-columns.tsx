import { Menu } from '../parts/menu.tsx';
import { shownText } from '../parts/text.tsx';
import { decode } from '../shell/route.ts';

const MOST_AT_FIRST = 4;

/** The value of an attribute as a person reads it: a string as it is, everything else as JSON. */
export function attributeText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** By which attribute the list is sorted. */
export interface Order {
  /** Empty: the newest first. */
  readonly sort: string;
  readonly isDescending: boolean;
}

/** Reads the order from an address. */
export function readOrder(query: URLSearchParams): Order {
  const sort = query.get('sort') ?? '';
  const isDescending = sort.startsWith('-');
  return { sort: sort.slice(Number(isDescending)), isDescending };
}

/** Reads the attributes that are columns from an address. By default they are the most frequent of `names`. */
export function readColumns(query: URLSearchParams, names: readonly string[]): readonly string[] {
  const given = query.get('columns');
  return given === null ? names.slice(0, MOST_AT_FIRST) : given.split(',').map(decode).filter(Boolean);
}

/** The fields of an address for these columns. */
export function columnsQuery(columns: readonly string[]): { readonly columns: string } {
  return { columns: columns.map(encodeURIComponent).join(',') || ',' };
}

interface CustomerHeadProps {
  readonly names: readonly string[];
  readonly order: Order;
  /** Called with the field of the address. */
  readonly onSort: (sort: string) => void;
}

/** The heads of the columns. Each sorts by its column: upwards, downwards, and not at all. */
export function CustomerHead({ names, order: { sort, isDescending }, onSort }: CustomerHeadProps) {
  return (
    <div class="list-row customer list-head">
      {names.map((name) => {
        const isSorted = name === sort;
        const next = !isSorted ? name : isDescending ? '' : `-${name}`;
        return (
          <button
            key={name}
            type="button"
            class="quiet cut"
            title={`Sort by ${shownText(name)}`}
            aria-pressed={isSorted}
            onClick={() => onSort(next)}
          >
            {shownText(name)}
            {isSorted && (isDescending ? ' ▼' : ' ▲')}
          </button>
        );
      })}
    </div>
  );
}

interface ColumnsMenuProps {
  readonly names: readonly string[];
  readonly shown: readonly string[];
  readonly onChange: (shown: readonly string[]) => void;
}

/** Chooses the columns. */
export function ColumnsMenu({ names, shown, onChange }: ColumnsMenuProps) {
  return (
    <Menu label="Columns">
      {[...new Set([...shown, ...names])].map((name) => (
        <label key={name} class="row">
          <input
            type="checkbox"
            checked={shown.includes(name)}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...shown, name] : shown.filter((one) => one !== name))
            }
          />
          {shownText(name)}
        </label>
      ))}
    </Menu>
  );
}

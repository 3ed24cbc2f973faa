import type { ComponentType } from 'preact';
import type { Rows } from '../shell/rows.ts';
import { ReadOn } from './read-on.tsx';

interface Item<Row> {
  readonly row: Row;
  readonly href: string;
  readonly isOpen: boolean;
}

interface RowListProps<Row extends { readonly id: number }> {
  readonly list: Pick<Rows<Row, unknown>, 'rows' | 'hasMore' | 'isReading' | 'readOn'>;
  /** Name of the list, in its class and for screen readers. */
  readonly name: string;
  readonly Item: ComponentType<Item<Row>>;
  /** The address that opens what has this id. */
  readonly to: (id: string) => string;
  /** The id of what is open. */
  readonly open: string;
}

/** The rows of a list that were read, each a link that opens it, and the end, which reads on. */
export function RowList<Row extends { readonly id: number }>(props: RowListProps<Row>) {
  const { list, name, Item, to, open } = props;
  return (
    <>
      {list.rows.length > 0 && (
        <ul class={`list ${name.toLowerCase()}`} aria-label={name}>
          {list.rows.map((row) => (
            <Item key={row.id} row={row} href={to(String(row.id))} isOpen={open === String(row.id)} />
          ))}
        </ul>
      )}
      {list.hasMore && <ReadOn isReading={list.isReading} onReadOn={list.readOn} />}
    </>
  );
}

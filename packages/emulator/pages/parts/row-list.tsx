import type { ComponentType } from 'preact';
import type { Rows } from '../shell/rows.ts';
import { ReadOn } from './read-on.tsx';
import { VirtualList } from './virtual-list.tsx';

interface Item<Row> {
  readonly row: Row;
  readonly href: string;
  readonly isOpen: boolean;
}

interface RowListProps<Row extends { readonly id: number }> {
  readonly list: Pick<Rows<Row, unknown>, 'rows' | 'hasMore' | 'isReading' | 'readOn'>;
  /** Name of the list, for its class and for screen readers. */
  readonly name: string;
  /** In pixels; the same for each row. */
  readonly rowHeight: number;
  readonly Item: ComponentType<Item<Row>>;
  /** The address that opens the row with this id. */
  readonly to: (id: string) => string;
  /** The id of the open row. */
  readonly open: string;
}

/** The rows that were read. Each is a link that opens it. At the end, more rows are read. */
export function RowList<Row extends { readonly id: number }>(props: RowListProps<Row>) {
  const { list, name, rowHeight, Item, to, open } = props;
  const { rows } = list;
  const item = (row: Row | undefined) =>
    row && <Item row={row} href={to(String(row.id))} isOpen={open === String(row.id)} />;
  return (
    <>
      {rows.length > 0 && (
        <VirtualList
          name={name}
          length={rows.length}
          rowHeight={rowHeight}
          row={(index) => item(rows[index])}
          idAt={(index) => rows[index]?.id}
        />
      )}
      {list.hasMore && <ReadOn isReading={list.isReading} onReadOn={list.readOn} />}
    </>
  );
}

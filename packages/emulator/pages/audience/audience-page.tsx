import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import type { CustomerRow } from '../../src/admin/audience-contract.ts';
import { Problem } from '../parts/dialogs/problem.tsx';
import { Empty } from '../parts/empty.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { formatSome } from '../parts/text/numbers.ts';
import { VirtualList } from '../parts/virtual-list.tsx';
import { isLost, status } from '../shell/live.ts';
import { link, pushRoute, replaceRoute, route } from '../shell/route.ts';
import { isPhone, ROW, ROW_OF_TWO_LINES } from '../shell/screen.ts';
import {
  ColumnsMenu,
  CustomerHead,
  columnsQuery,
  type Order,
  readColumns,
  readOrder,
} from './customer-columns.tsx';
import { CustomerItem } from './customer-item.tsx';
import { CustomerPanel } from './customer-panel.tsx';
import { CustomerRows } from './customer-rows.ts';
import { ImportDialog } from './import/import-dialog.tsx';
import { NewCustomerPanel } from './new-customer-panel.tsx';
import { PrimaryKeyCard } from './primary-key/primary-key-card.tsx';
import { ValuePanel } from './value-panel.tsx';

/** The audience: the primary key, and the customers. */
export function AudiencePage() {
  const { rest, query } = route.value;
  const [open = ''] = rest;
  const search = query.get('search') ?? '';
  const value = query.get('value');
  const primaryKey = status.value?.primaryKey;
  const order = readOrder(query);
  const list = useCustomers(search, order);
  const names = list.names.filter((name) => name !== primaryKey);
  const columns = readColumns(query, names);
  const kept = { search, columns: query.get('columns') ?? '', sort: query.get('sort') ?? '' };
  const to = (part: string, changed: Partial<typeof kept> = {}) =>
    link(part === '' ? ['audience'] : ['audience', part], { ...kept, ...changed });
  const goTo = (part: string) => {
    location.hash = to(part);
  };
  const close = () => goTo('');
  const item = (row: CustomerRow | undefined) =>
    row && (
      <CustomerItem row={row} columns={columns} href={to(String(row.id))} isOpen={open === String(row.id)} />
    );
  const { total } = list;
  const renew = () => list.renew();
  const look = useCallback((first: number, last: number) => list.want(first, last), [list]);
  const isEmpty = total === 0 && search === '';
  return (
    <>
      <PrimaryKeyCard primaryKey={primaryKey} onSelected={renew} />
      {primaryKey !== null && (
        <>
          <div class="bar-of-tools">
            <SearchField
              label="Search customers"
              placeholder="Search in all attributes"
              value={search}
              onChange={(typed) => pushRoute(to(open, { search: typed }), 'search')}
            />
            <span class="muted number" role="status">
              {total !== undefined && formatSome(total, 'customer')}
            </span>
            <ColumnsMenu
              names={names}
              shown={columns}
              onChange={(shown) => pushRoute(to(open, columnsQuery(shown)))}
            />
            <a class="button" href="/emulator/admin/customers/export" download="customers.csv">
              Export CSV
            </a>
            <a class="button" href={to('import')}>
              Import CSV
            </a>
            <a class="button main" href={to('new')}>
              New customer
            </a>
          </div>
          <Problem error={isLost.value ? undefined : list.error} onRetry={renew} />
          <div class="split long">
            <div>
              {isEmpty && <NoCustomers primaryKey={primaryKey ?? ''} />}
              {total === 0 && !isEmpty && (
                <Empty title="No customer matches">
                  <p class="muted">The search looks at the values of all attributes, and ignores case.</p>
                </Empty>
              )}
              {total !== undefined && total > 0 && (
                <div class="customers" style={{ '--columns': columns.length }}>
                  <CustomerHead
                    primaryKey={primaryKey ?? ''}
                    columns={columns}
                    order={order}
                    onSort={(sort) => pushRoute(to(open, { sort }))}
                  />
                  <VirtualList
                    name="Customers"
                    length={total}
                    rowHeight={isPhone.value ? ROW_OF_TWO_LINES : ROW}
                    row={(index) => item(list.row(index))}
                    idAt={(index) => list.row(index)?.id}
                    onLook={look}
                  />
                </div>
              )}
            </div>
            {/^\d+$/.test(open) && (
              <CustomerPanel
                key={open}
                id={Number(open)}
                onClose={close}
                onStep={(step) => {
                  const next = list.neighbour(Number(open), step);
                  if (next !== undefined) replaceRoute(to(String(next)));
                }}
                onChanged={renew}
              />
            )}
            {open === 'new' && (
              <NewCustomerPanel
                primaryKey={primaryKey ?? ''}
                value={query.get('value') ?? ''}
                onClose={close}
                onMade={({ id }) => {
                  renew();
                  goTo(String(id));
                }}
              />
            )}
            {open === '' && value !== null && <ValuePanel key={value} value={value} onClose={close} />}
          </div>
          {open === 'import' && (
            <ImportDialog primaryKey={primaryKey ?? ''} onClose={close} onImported={renew} />
          )}
        </>
      )}
    </>
  );
}

/** The customers that match a search. Until the rows of a new search arrive, the old ones stay on the screen. */
function useCustomers(search: string, { sort, isDescending }: Order): CustomerRows {
  const asked = useMemo(
    () => new CustomerRows({ search, sort, descending: String(isDescending) }),
    [search, sort, isDescending],
  );
  const shown = useRef(asked);
  if (asked.total !== undefined) shown.current = asked;
  const { audience } = status.value ?? {};
  useEffect(() => asked.renew(), [asked, audience, isLost.value]);
  useEffect(() => () => asked.close(), [asked]);
  return shown.current;
}

function NoCustomers({ primaryKey }: { readonly primaryKey: string }) {
  return (
    <Empty title="No customers yet">
      <p class="muted">
        A customer is a set of attributes. The value of <code>{primaryKey}</code> identifies it: events with
        this <code>correlationValue</code> belong to it, also those that came before. Create a customer, or
        import a CSV file whose first line has the names of the attributes:
      </p>
      <pre class="example">{`${primaryKey},first_name,last_name\nada@example.com,Ada,Lovelace`}</pre>
    </Empty>
  );
}

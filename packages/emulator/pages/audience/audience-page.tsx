import type { CustomerRow, CustomerRows } from '../../src/admin/audience-contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { Empty, Problem } from '../parts/dialog.tsx';
import { SearchField } from '../parts/field.tsx';
import { formatSome, shownText } from '../parts/text.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { ask } from '../shell/ask.ts';
import { isLost, status } from '../shell/live.ts';
import { here, openId, pushRoute, route } from '../shell/route.ts';
import { AT_ONCE, type Rows, type Source } from '../shell/rows.ts';
import { isPhone, ROW, ROW_OF_TWO_LINES } from '../shell/screen.ts';
import { useRows } from '../shell/use-rows.ts';
import {
  attributeText,
  ColumnsMenu,
  CustomerHead,
  columnsQuery,
  readColumns,
  readOrder,
} from './customer-columns.tsx';
import { CustomerPanel } from './customer-panel.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { PrimaryKeyCard } from './primary-key.tsx';
import { NewCustomerPanel, ValuePanel } from './value-panel.tsx';

/** The audience: the primary key, and the customers. */
export function AudiencePage() {
  const { rest, query } = route.value;
  const [part = ''] = rest;
  const open = openId();
  const search = query.get('search') ?? '';
  const value = query.get('value');
  const { primaryKey, audience } = status.value ?? {};
  const key = primaryKey ?? '';
  const order = readOrder(query);
  const { sort, isDescending } = order;
  const limit = String(AT_ONCE);
  const path = `/customers?${new URLSearchParams({ search, sort, descending: String(isDescending), limit })}`;
  const { asked, shown: list } = useRows(path, () => customers(path), audience);
  const total = list.state.length;
  const names = namesIn(list).filter((name) => name !== primaryKey);
  const columns = readColumns(query, names);
  const renew = () => asked.renew();
  return (
    <>
      <PrimaryKeyCard primaryKey={primaryKey} onSelected={renew} />
      {primaryKey !== null && (
        <>
          <div class="row">
            <SearchField
              label="Search customers"
              placeholder="Search in all attributes"
              value={search}
              onChange={(typed) => pushRoute(here(part, { search: typed }), 'search')}
            />
            <span class="muted number" role="status">
              {total !== undefined && formatSome(total, 'customer')}
            </span>
            <ColumnsMenu
              names={names}
              shown={columns}
              onChange={(shown) => pushRoute(here(part, columnsQuery(shown)))}
            />
            <a class="button" href="/emulator/admin/customers/export" download="customers.csv">
              Export CSV
            </a>
            <a class="button" href={here('import')}>
              Import CSV
            </a>
            <a class="button main" href={here('new')}>
              New customer
            </a>
          </div>
          <Problem error={isLost.value ? undefined : asked.state.error} onRetry={renew} />
          <div class="split long">
            <div>
              {total === 0 && search === '' && <NoCustomers primaryKey={key} />}
              {total === 0 && search !== '' && (
                <Empty title="No customer matches">
                  <p class="muted">The search looks at the values of all attributes, and ignores case.</p>
                </Empty>
              )}
              {total !== undefined && total > 0 && (
                <div style={{ '--columns': columns.length }}>
                  <CustomerHead
                    names={[key, ...columns]}
                    order={order}
                    onSort={(sort) => pushRoute(here(part, { sort }))}
                  />
                  <VirtualList
                    name="Customers"
                    rows={list}
                    rowHeight={isPhone.value ? ROW_OF_TWO_LINES : ROW}
                    kind="customer"
                    cells={(row) => <Cells row={row} columns={columns} />}
                  />
                </div>
              )}
            </div>
            {open !== undefined && <CustomerPanel key={open} id={open} rows={list} onChanged={renew} />}
            {part === 'new' && primaryKey && (
              <NewCustomerPanel primaryKey={primaryKey} value={value ?? ''} onMade={renew} />
            )}
            {part === '' && value !== null && <ValuePanel key={value} value={value} />}
          </div>
          {part === 'import' && <ImportDialog primaryKey={key} onImported={renew} />}
        </>
      )}
    </>
  );
}

function Cells({ row, columns }: { readonly row: CustomerRow; readonly columns: readonly string[] }) {
  const { primaryKeyValue, attributes } = row;
  return (
    <>
      {primaryKeyValue === null ? (
        <span class="badge warn">no primary key</span>
      ) : (
        <strong class="cut">{shownText(primaryKeyValue)}</strong>
      )}
      {columns.map((name) => (
        <bdi key={name} class="cut" title={name}>
          {Object.hasOwn(attributes, name) && shownText(attributeText(attributes[name]))}
        </bdi>
      ))}
    </>
  );
}

function customers(path: string): Source<CustomerRow> {
  return {
    read: async (from, signal) => {
      const { customers, total } = await ask<CustomerRows>(`${path}&offset=${from}`, { signal });
      return { rows: customers, total };
    },
  };
}

/** The names of the attributes that the known rows have, most frequent first. */
function namesIn(list: Rows<CustomerRow>): string[] {
  const counts = new Map<string, number>();
  for (const row of list.state.rows.values())
    for (const name of Object.keys(row?.attributes ?? {})) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
}

function NoCustomers({ primaryKey }: { readonly primaryKey: string }) {
  return (
    <Empty title="No customers yet">
      <p class="muted">
        A customer is a set of attributes. The value of <code>{primaryKey}</code> identifies it: events with
        this <code>correlationValue</code> belong to it, also those that came before. Create a customer, or
        import a CSV file whose first line has the names of the attributes:
      </p>
      <Snippet label="example" text={`${primaryKey},first_name,last_name\nada@example.com,Ada,Lovelace`} />
    </Empty>
  );
}

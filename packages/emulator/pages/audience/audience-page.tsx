import type { CustomerRow, CustomerRows } from '../../src/admin/audience-contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { Empty, Problem } from '../parts/dialog.tsx';
import { SearchField } from '../parts/field.tsx';
import { formatSome } from '../parts/text.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { ask } from '../shell/ask.ts';
import { isLost, status } from '../shell/live.ts';
import { here, openId, pushRoute, route } from '../shell/route.ts';
import { AT_ONCE, type Source } from '../shell/rows.ts';
import { useRows } from '../shell/use-rows.ts';
import { ColumnsMenu, customerColumns, namesIn, readOrder } from './customer-columns.tsx';
import { CustomerPanel, NewCustomerPanel, ValuePanel } from './customer-panel.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { PrimaryKeyCard } from './primary-key.tsx';

/** The audience: the primary key, and the customers. */
export function AudiencePage() {
  const { rest, query } = route.value;
  const [part = ''] = rest;
  const open = openId();
  const search = query.get('search') ?? '';
  const value = query.get('value');
  const { primaryKey, audience } = status.value ?? {};
  const key = primaryKey ?? '';
  const path = `/customers?${new URLSearchParams({ search, ...readOrder(), limit: String(AT_ONCE) })}`;
  const { asked, shown: list } = useRows(path, () => customers(path), audience);
  const total = list.state.length;
  const names = namesIn(list).filter((name) => name !== primaryKey);
  const renew = () => asked.renew();
  const card = <PrimaryKeyCard primaryKey={primaryKey} onSelected={renew} />;
  if (primaryKey === null) return card;
  return (
    <>
      {card}
      <div class="row">
        <SearchField
          label="Search customers"
          placeholder="Search in all attributes"
          value={search}
          onChange={(typed) => pushRoute(here(part, { search: typed }), 'search')}
        />
        <span class="muted" role="status">
          {total !== undefined && formatSome(total, 'customer')}
        </span>
        <ColumnsMenu names={names} />
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
      <div class="split">
        {total === 0 && search !== '' && <Empty title="No customer matches" />}
        {total === 0 && search === '' && <NoCustomers primaryKey={key} />}
        {total !== 0 && (
          <VirtualList name="Customers" kind="customer" rows={list} columns={customerColumns(key, names)} />
        )}
        {open !== undefined && <CustomerPanel key={open} id={open} rows={list} onChanged={renew} />}
        {part === 'new' && primaryKey && (
          <NewCustomerPanel primaryKey={primaryKey} value={value ?? ''} onMade={renew} />
        )}
        {part === '' && value !== null && <ValuePanel key={value} value={value} />}
      </div>
      {part === 'import' && <ImportDialog primaryKey={key} onImported={renew} />}
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

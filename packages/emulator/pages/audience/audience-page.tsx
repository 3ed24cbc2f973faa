import { useRef, useState } from 'preact/hooks';
import type { CustomerRows } from '../../src/admin/audience-contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { Empty, Problem } from '../parts/dialog.tsx';
import { SearchField } from '../parts/field.tsx';
import { List } from '../parts/list.tsx';
import { formatSome } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { here, openId, route } from '../shell/route.ts';
import { ColumnsMenu, customerColumns, namesIn, readOrder } from './customer-columns.tsx';
import { CustomerPanel } from './customer-panel.tsx';
import { ImportButton } from './import-button.tsx';
import { PrimaryKeyCard } from './primary-key.tsx';

const FEW = 100;
const MANY = 1_000;

/** The audience: the primary key, and the customers. */
export function AudiencePage() {
  const [part = ''] = route.value.rest;
  const { search = '', value } = route.value.query;
  const open = openId();
  const { primaryKey, audience } = status.value ?? {};
  const key = primaryKey ?? '';
  const [limit, setLimit] = useState(FEW);
  const asked = { search, ...readOrder(), limit: String(limit) };
  const answer = useAnswer<CustomerRows>(`/customers?${new URLSearchParams(asked)}`, audience);
  const shown = useRef(answer.value);
  shown.current = answer.value ?? shown.current; // it stays until there is something else to show
  const { customers, total } = shown.current ?? {};
  const names = namesIn(customers ?? []).filter((name) => name !== primaryKey);
  const card = <PrimaryKeyCard primaryKey={primaryKey} names={names} onSelected={answer.again} />;
  if (primaryKey === null) return card;
  return (
    <>
      {card}
      <div class="row">
        <SearchField field="search" label="Search customers" placeholder="Search in all attributes" />
        <span class="muted" role="status">
          {total !== undefined && formatSome(total, 'customer')}
        </span>
        <ColumnsMenu names={names} />
        <a class="button" href="/emulator/customers/export" download="customers.csv">
          Export CSV
        </a>
        <ImportButton primaryKey={key} onImported={answer.again} />
        <a class="button main" href={here('new')}>
          New customer
        </a>
      </div>
      <Problem of={answer} />
      <div class="split">
        {total === 0 && search !== '' && <Empty title="No customer matches" />}
        {total === 0 && search === '' && (
          <Empty title="No customers yet">
            <p class="muted">
              Create a customer, or import a CSV file whose first line has the names of the attributes:
            </p>
            <Snippet label="example" text={`${key},first_name,last_name\nada@example.com,Ada,Lovelace`} />
          </Empty>
        )}
        {customers !== undefined && customers.length > 0 && (
          <List
            name="Customers"
            kind="customer"
            rows={customers}
            columns={customerColumns(key, names)}
            hasMore={customers.length < (total ?? 0)}
            most={MANY}
            onEnd={(isNearEnd) => isNearEnd && setLimit(MANY)}
          />
        )}
        {primaryKey && (open !== undefined || part === 'new' || value !== undefined) && (
          <CustomerPanel
            key={open ?? value}
            id={open}
            value={value}
            primaryKey={primaryKey}
            rows={customers}
            onChanged={answer.again}
          />
        )}
      </div>
    </>
  );
}

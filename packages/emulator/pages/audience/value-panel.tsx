import { useEffect } from 'preact/hooks';
import type { CustomerRow, CustomerRows } from '../../src/admin/audience-contract.ts';
import { Problem } from '../parts/dialog.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { shownText } from '../parts/text.tsx';
import { tell } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
import { here, link, replaceRoute } from '../shell/route.ts';
import { AttributesForm } from './attributes-form.tsx';
import { Timeline } from './timeline.tsx';

/** The customer with this primary key value: opens that customer, or offers to create it. */
export function ValuePanel({ value }: { readonly value: string }) {
  const path = `/customers?limit=1&value=${encodeURIComponent(value)}`;
  const { value: answer, error, again } = useAnswer<CustomerRows>(path);
  const [customer] = answer?.customers ?? [];
  useEffect(() => {
    if (customer !== undefined) replaceRoute(here(customer.id));
  }, [customer]);
  return (
    <SidePanel title={shownText(value)}>
      <Problem error={error} onRetry={again} />
      {answer !== undefined && customer === undefined && (
        <>
          <p class="notice">
            No customer has this primary key. The emulator keeps its events. When you create the customer,
            they will belong to it.
          </p>
          <div class="row">
            <a class="button main" href={link(['audience', 'new'], { value })}>
              Create this customer
            </a>
          </div>
          <Timeline value={value} />
        </>
      )}
    </SidePanel>
  );
}

interface NewCustomerPanelProps {
  readonly primaryKey: string;
  /** The customer's primary key value, if it is known. */
  readonly value: string;
  readonly onMade: () => void;
}

/** Creates a customer. */
export function NewCustomerPanel({ primaryKey, value, onMade }: NewCustomerPanelProps) {
  return (
    <SidePanel title="New customer">
      <AttributesForm
        attributes={{ ...(primaryKey !== 'first_name' && { first_name: '' }), [primaryKey]: value }}
        primaryKey={primaryKey}
        version=""
        draftName={`new customer ${value}`}
        action="Create"
        onClose={() => {
          location.hash = here();
        }}
        onSave={async (attributes) => {
          const { id } = await tell<CustomerRow>('POST', '/customers', { attributes });
          onMade();
          location.hash = here(id);
        }}
      />
    </SidePanel>
  );
}

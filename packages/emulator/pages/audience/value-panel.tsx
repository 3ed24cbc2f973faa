import { useEffect } from 'preact/hooks';
import type { CustomerRows } from '../../src/admin/audience-contract.ts';
import { Problem } from '../parts/dialogs/problem.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { shownText } from '../parts/text/shown-text.ts';
import { useAnswer } from '../shell/asking/answer.ts';
import { link, replaceRoute } from '../shell/route.ts';
import { Timeline } from './timeline.tsx';

/** The customer with this primary key value: opens that customer, or offers to create it. */
export function ValuePanel({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  const {
    value: answer,
    error,
    again,
  } = useAnswer<CustomerRows>(`/customers?limit=1&value=${encodeURIComponent(value)}`);
  const [customer] = answer?.customers ?? [];
  useEffect(() => {
    if (customer !== undefined) replaceRoute(link(['audience', String(customer.id)]));
  }, [customer]);
  return (
    <SidePanel title={shownText(value)} onClose={onClose} onStep={undefined}>
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

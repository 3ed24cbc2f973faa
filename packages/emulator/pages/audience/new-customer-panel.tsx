import type { CustomerRow } from '../../src/admin/audience-contract.ts';
import { SidePanel } from '../parts/side-panel.tsx';
import { tell } from '../shell/asking/ask.ts';
import { AttributesForm } from './attributes-form.tsx';

interface NewCustomerPanelProps {
  readonly primaryKey: string;
  /** The customer's primary key value, if it is known. */
  readonly value: string;
  readonly onClose: () => void;
  readonly onMade: (row: CustomerRow) => void;
}

/** Creates a customer. */
export function NewCustomerPanel({ primaryKey, value, onClose, onMade }: NewCustomerPanelProps) {
  const beginning = { [primaryKey]: value, ...(primaryKey === 'first_name' ? {} : { first_name: '' }) };
  return (
    <SidePanel title="New customer" onClose={onClose} onStep={undefined}>
      <AttributesForm
        attributes={beginning}
        primaryKey={primaryKey}
        version=""
        draftName={`new customer ${value}`}
        action="Create"
        onClose={onClose}
        onSave={async (attributes) => onMade(await tell<CustomerRow>('POST', '/customers', { attributes }))}
      />
    </SidePanel>
  );
}

import { useState } from 'preact/hooks';
import { PrimaryKeyDialog } from './primary-key-dialog.tsx';

interface PrimaryKeyCardProps {
  /** Null if none is selected; undefined while that is not known. */
  readonly primaryKey: string | null | undefined;
  readonly onSelected: () => void;
}

/** Which attribute is the primary key, and what that means. */
export function PrimaryKeyCard({ primaryKey, onSelected }: PrimaryKeyCardProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card primary-key" aria-label="Primary key">
      {primaryKey === null ? (
        <div class="grow">
          <h2>No primary key is selected yet</h2>
          <p class="muted">
            Both endpoints refuse every request until you select the attribute that identifies a customer.
            Events name it in <code>correlationKey</code>.
          </p>
        </div>
      ) : (
        <div class="grow">
          <h2>
            Primary key <code class="key-name">{primaryKey ?? '…'}</code>
          </h2>
          <p class="muted">
            This attribute identifies a customer. An event belongs to the customer whose value equals its{' '}
            <code>correlationValue</code>. The <code>correlationKey</code> of each event must be{' '}
            <code>{primaryKey ?? '…'}</code>.
          </p>
        </div>
      )}
      <button type="button" class={primaryKey === null ? 'main' : ''} onClick={() => setOpen(true)}>
        {primaryKey === null ? 'Select one' : 'Change'}
      </button>
      {isOpen && (
        <PrimaryKeyDialog
          onClose={() => setOpen(false)}
          onSelected={() => {
            setOpen(false);
            onSelected();
          }}
        />
      )}
    </section>
  );
}

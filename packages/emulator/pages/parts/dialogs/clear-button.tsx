import { useState } from 'preact/hooks';
import { tell } from '../../shell/asking/ask.ts';
import { Confirm } from './confirm.tsx';

/** Deletes all events and requests, after a question. */
export function ClearButton() {
  const [isAsking, setAsking] = useState(false);
  const [hasCustomers, setCustomers] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Clear
      </button>
      {isAsking && (
        <Confirm
          title="Clear the emulator?"
          action="Clear"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await tell('POST', '/clear', { customers: hasCustomers });
            setAsking(false);
          }}
        >
          <p>
            This deletes all events and requests, and ends all faults. API keys, the primary key and the
            settings stay.
          </p>
          <label class="option flat">
            <input
              type="checkbox"
              checked={hasCustomers}
              onChange={({ currentTarget }) => setCustomers(currentTarget.checked)}
            />
            <strong>Delete all customers, too</strong>
          </label>
        </Confirm>
      )}
    </>
  );
}

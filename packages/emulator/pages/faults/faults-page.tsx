import type { FaultRow, FaultRows } from '../../src/admin/contract.ts';
import { ActButton, Problem } from '../parts/dialog.tsx';
import { formatCount, formatSome, Time } from '../parts/text.tsx';
import { type Answer, useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';
import { FaultForm } from './fault-form.tsx';

const TONES = { active: 'bad', waiting: 'warn', over: '' } as const;

/** The faults page: switches on faults and scripts, and stops them. */
export function FaultsPage() {
  const { activeFaults, newestRequest } = status.value ?? {};
  const rows = useAnswer<FaultRows>('/faults', `${activeFaults} ${newestRequest}`);
  return (
    <>
      <p class="muted">
        A fault makes the service misbehave, so that you can see what your code does. It acts from the next
        request on. The requests page shows on which requests it acted.
      </p>
      <FaultList rows={rows} />
      <section class="card" aria-labelledby="new-fault">
        <h2 id="new-fault">Switch on</h2>
        <FaultForm onAdded={rows.again} />
      </section>
    </>
  );
}

/** The faults that were switched on: what they do, what they did, and what is left of them. */
function FaultList({ rows: { value, error, again } }: { readonly rows: Answer<FaultRows> }) {
  const { faults = [], seed } = value ?? {};
  return (
    <section class="card" aria-labelledby="faults">
      <div class="row">
        <h2 id="faults" class="grow">
          Switched on
        </h2>
        {faults.length > 1 && (
          <ActButton label="Stop all" class="small" method="DELETE" path="/faults" onDone={again} />
        )}
      </div>
      <Problem error={error} onRetry={again} />
      {value !== undefined && faults.length === 0 && (
        <p class="muted">None. The service does what the interface says.</p>
      )}
      {faults.length > 0 && (
        <>
          <ul class="list">
            {faults.map((row) => (
              <FaultItem key={row.id} row={row} onStopped={again} />
            ))}
          </ul>
          <p class="muted small">
            Random choices come from the seed {seed}: the same seed and the same requests give the same
            faults.{' '}
            <a href={link(['requests'], { outcome: 'fault' })}>Show the requests on which faults acted</a>
          </p>
        </>
      )}
    </section>
  );
}

function FaultItem({ row, onStopped }: { readonly row: FaultRow; readonly onStopped: () => void }) {
  const { fault, words, state, step, remaining, endsAt } = row;
  const action = state === 'over' ? 'Remove' : 'Stop';
  return (
    <li class="item row fault">
      <span class={`badge ${TONES[state]}`}>{state}</span>
      <div class="grow">
        <p>{words.charAt(0).toUpperCase() + words.slice(1)}</p>
        <p class="muted small">
          {acted(row)}
          {fault.kind === 'script' && step !== null && ` · step ${step + 1} of ${fault.steps.length}`}
          {state !== 'over' && remaining !== null && ` · ${formatCount(remaining)} left`}
          {state !== 'over' && endsAt !== null && [' · until ', <Time key="end" value={endsAt} />]}
        </p>
      </div>
      <ActButton
        label={action}
        name={`${action}: ${words}`}
        method="DELETE"
        path={`/faults/${row.id}`}
        onDone={onStopped}
      />
    </li>
  );
}

/** How often a fault has acted. Refused connections are no requests: nobody can count them. */
function acted({ fault, hits, state }: FaultRow): string {
  if (hits > 0) return `Acted on ${formatSome(hits, 'request')}`;
  const refuses = fault.kind === 'down' && state !== 'waiting';
  return refuses ? 'Refuses connections, which nobody can count' : 'Has not acted yet';
}

import type { FaultRow, FaultRows } from '../../src/admin/contract.ts';
import { Problem } from '../parts/dialog.tsx';
import { Choice } from '../parts/field.tsx';
import { formatCount, formatSome, Time } from '../parts/text.tsx';
import { ask } from '../shell/ask.ts';
import { type Answer, useAnswer, useTask } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link, replaceRoute, route } from '../shell/route.ts';
import { FaultForm } from './fault-form.tsx';
import { ScriptForm } from './script-form.tsx';

const WAYS = { one: 'One fault', script: 'A script' } as const;
const TONES = { active: 'bad', waiting: 'warn', over: '' } as const;

/** The faults page: switches on faults and scripts, and stops them. */
export function FaultsPage() {
  const { activeFaults, newestRequest } = status.value ?? {};
  const rows = useAnswer<FaultRows>('/faults', `${activeFaults} ${newestRequest}`);
  const way = route.value.rest[0] === 'script' ? 'script' : 'one';
  return (
    <>
      <p class="lead">
        A fault makes the service misbehave, so that you can see what your code does. It acts from the next
        request on. The requests page shows on which requests it acted.
      </p>
      <div class="faults">
        <section class="card" aria-labelledby="new-fault">
          <div class="row">
            <h2 id="new-fault" class="grow">
              Switch on
            </h2>
            <Choice
              label="What to switch on"
              choices={WAYS}
              value={way}
              onChange={(to) => replaceRoute(link(to === 'one' ? ['faults'] : ['faults', to]))}
            />
          </div>
          {way === 'one' ? <FaultForm onAdded={rows.again} /> : <ScriptForm onAdded={rows.again} />}
        </section>
        <FaultList rows={rows} />
      </div>
    </>
  );
}

/** The faults that were switched on: what they do, what they did, and what is left of them. */
function FaultList({ rows: { value, error, again } }: { readonly rows: Answer<FaultRows> }) {
  const task = useTask();
  const { faults = [], seed } = value ?? {};
  const stop = (path: string) =>
    task.run(async () => {
      await ask(path, { method: 'DELETE' });
      again();
    });
  return (
    <section class="card fault-list" aria-labelledby="faults">
      <div class="row">
        <h2 id="faults" class="grow">
          Switched on
        </h2>
        {faults.length > 1 && (
          <button type="button" class="small" onClick={() => stop('/faults')}>
            Stop all
          </button>
        )}
      </div>
      <Problem error={error ?? task.error} onRetry={again} />
      {value !== undefined && faults.length === 0 && (
        <p class="muted">
          None. The service does what the interface says. The faults that you switch on are listed here.
        </p>
      )}
      {faults.length > 0 && (
        <>
          <ul class="stack">
            {faults.map((row) => (
              <FaultItem key={row.id} row={row} onStop={() => stop(`/faults/${row.id}`)} />
            ))}
          </ul>
          <p class="muted small-text">
            Random choices come from the seed {seed}: the same seed and the same requests give the same
            faults.{' '}
            <a href={link(['requests'], { outcome: 'fault' })}>Show the requests on which faults acted</a>
          </p>
        </>
      )}
    </section>
  );
}

function FaultItem({ row, onStop }: { readonly row: FaultRow; readonly onStop: () => void }) {
  const { fault, words, state, step, remaining, endsAt } = row;
  const action = state === 'over' ? 'Remove' : 'Stop';
  return (
    <li class={`fault ${state}`}>
      <span class={`badge ${TONES[state]}`}>{state}</span>
      <div class="fault-what grow">
        <p>{words.charAt(0).toUpperCase() + words.slice(1)}</p>
        <p class="muted small-text">
          {acted(row)}
          {fault.kind === 'script' && step !== null && ` · step ${step + 1} of ${fault.steps.length}`}
          {state !== 'over' && remaining !== null && ` · ${formatCount(remaining)} left`}
          {state !== 'over' && endsAt !== null && (
            <>
              {' · until '}
              <Time value={endsAt} />
            </>
          )}
        </p>
      </div>
      <button type="button" class="small" aria-label={`${action}: ${words}`} onClick={onStop}>
        {action}
      </button>
    </li>
  );
}

/** How often a fault has acted. Refused connections are no requests: nobody can count them. */
function acted({ fault, hits, state }: FaultRow): string {
  const refuses = fault.kind === 'down' && state !== 'waiting';
  if (hits === 0) return refuses ? 'Refuses connections, which nobody can count' : 'Has not acted yet';
  return `Acted on ${formatSome(hits, 'request')}`;
}

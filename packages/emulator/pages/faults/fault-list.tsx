import type { FaultRow, FaultRows } from '../../src/admin/contract.ts';
import { Problem } from '../parts/dialogs/problem.tsx';
import { formatCount, formatSome } from '../parts/text/numbers.ts';
import { Time } from '../parts/text/time.tsx';
import type { Answer } from '../shell/asking/answer.ts';
import { ask } from '../shell/asking/ask.ts';
import { useTask } from '../shell/asking/task.ts';
import { link } from '../shell/route.ts';

const TONES = { active: 'bad', waiting: 'warn', over: '' } as const;

/** The faults that were switched on: what they do, what they did, and what is left of them. */
export function FaultList({ rows }: { readonly rows: Answer<FaultRows> }) {
  const task = useTask();
  const faults = rows.value?.faults ?? [];
  const stop = (path: string) =>
    task.run(async () => {
      await ask(path, { method: 'DELETE' });
      rows.again();
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
      <Problem error={rows.error ?? task.error} onRetry={rows.again} />
      {rows.value !== undefined && faults.length === 0 && (
        <p class="muted">
          None. The service does what the interface says. The faults that you switch on are listed here.
        </p>
      )}
      {faults.length > 0 && (
        <ul class="fault-rows">
          {faults.map((row) => (
            <FaultItem key={row.id} row={row} onStop={() => stop(`/faults/${row.id}`)} />
          ))}
        </ul>
      )}
      {rows.value !== undefined && faults.length > 0 && (
        <p class="muted small-text">
          Random choices come from the seed {rows.value.seed}: the same seed and the same requests give the
          same faults.{' '}
          <a href={link(['requests'], { outcome: 'fault' })}>Show the requests on which faults acted</a>
        </p>
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
      <div class="fault-what">
        <p>{capital(words)}</p>
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

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

import type { FaultRow, FaultRows } from '../../src/admin/contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { ActButton, Problem } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { type Draft, drafts, JsonForm } from '../parts/json-form.tsx';
import { formatCount, formatSome, Time } from '../parts/text.tsx';
import { inShell } from '../settings/snippets.ts';
import { tell } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';
import { EXAMPLES, SCOPE } from './fault-examples.ts';

const TONES = { active: 'bad', waiting: 'warn', over: '' } as const;
const FIRST = written('Answer with a status');

/** The faults page: switches on faults and scripts, and stops them. Shows what they do, what they did, and what is left of them. */
export function FaultsPage() {
  const { activeFaults, newestRequest } = status.value ?? {};
  const answer = useAnswer<FaultRows>('/faults', `${activeFaults} ${newestRequest}`);
  const { value, again } = answer;
  const { faults = [], seed } = value ?? {};
  return (
    <>
      <p class="muted">
        A fault makes the service misbehave, so that you can see what your code does. It acts from the next
        request on. The requests page shows on which requests it acted.
      </p>
      <section class="card" aria-labelledby="faults">
        <div class="row">
          <h2 id="faults" class="grow">
            Switched on
          </h2>
          {faults.length > 1 && (
            <ActButton label="Stop all" class="small" method="DELETE" path="/faults" onDone={again} />
          )}
        </div>
        <Problem of={answer} />
        {value !== undefined && faults.length === 0 && (
          <p class="muted">None. The service does what the interface says.</p>
        )}
        <ul class="list">
          {faults.map((row) => (
            <FaultItem key={row.id} row={row} onStopped={again} />
          ))}
        </ul>
        {faults.length > 0 && (
          <p class="muted small">
            Random choices come from the seed {seed}: the same seed and the same requests give the same
            faults.{' '}
            <a href={link(['requests'], { outcome: 'fault' })}>Show the requests on which faults acted</a>
          </p>
        )}
      </section>
      <section class="card" aria-labelledby="new-fault">
        <h2 id="new-fault">Switch on</h2>
        <JsonForm
          name="fault"
          first={FIRST}
          label="Fault, as JSON"
          hint="Edit it as you like. Below are the settings that every fault can have."
          action="Switch on"
          onSave={(fault) => tell('POST', '/faults', fault).then(again)}
          isReused
          choices={{ label: 'Examples', of: EXAMPLES, draft: written }}
        />
        <details>
          <summary>Settings of every fault</summary>
          <Facts of={SCOPE.map(([name, words]) => [<code key={name}>{name}</code>, words])} />
        </details>
        <SameByCode {...(drafts.value.fault ?? FIRST)} />
      </section>
    </>
  );
}

function written(example: string): Draft {
  return { json: JSON.stringify(EXAMPLES[example]?.fault, null, 2), of: example };
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

/** How a program switches on the same fault. Nothing is shown until the user has written it to its end. */
function SameByCode({ json: typed }: Draft) {
  let json: string;
  try {
    json = JSON.stringify(JSON.parse(typed));
  } catch {
    return null;
  }
  const { needsToken = false } = status.value ?? {};
  const curl = [
    `curl ${location.origin}/emulator/faults`,
    ...(needsToken ? ["-H 'Authorization: Bearer TOKEN'"] : []),
    "-H 'Content-Type: application/json'",
    `-d ${inShell(json)}`,
  ];
  const codes = {
    'switch on this fault with curl': curl.join(' \\\n  '),
    'switch on this fault in a test': `using fault = emulator.fail(${json});`,
    'start with this fault': `const emulator = await startEmulator({ faults: [${json}] });`,
  };
  return (
    <details class="same">
      <summary>The same in code</summary>
      <div class="stack">
        {Object.entries(codes).map(([label, text]) => (
          <Snippet key={label} label={label} text={text} />
        ))}
        {needsToken && (
          <p class="muted small">
            For TOKEN, write the operator's token. It is in the address that the emulator prints.
          </p>
        )}
      </div>
    </details>
  );
}

import type { FaultRow } from '../../src/admin/contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { Choice } from '../parts/field.tsx';
import { JsonForm } from '../parts/json-form.tsx';
import { tell } from '../shell/ask.ts';
import { useDraft } from '../shell/draft.ts';
import { EXAMPLES, SCOPE } from './fault-examples.ts';

/** Switches on a fault or a script, as JSON; the examples fill it in. */
export function FaultForm({ onAdded }: { readonly onAdded: () => void }) {
  const draft = useDraft('fault', () => filled('Answer with a status'));
  const { example, json } = draft.value;
  return (
    <>
      <JsonForm
        // It stays after it was switched on: it may be wanted again.
        draft={{ ...draft, isKept: false, discard: () => undefined }}
        label="Fault, as JSON"
        hint="Change what you like. Settings that any fault can have are in the list below."
        action="Switch on"
        onSave={async (fault) => {
          await tell<FaultRow>('POST', '/faults', fault);
          onAdded();
        }}
      >
        <Choice
          label="Examples"
          choices={EXAMPLES}
          value={example}
          onChange={(chosen) => draft.set(filled(chosen))}
        />
      </JsonForm>
      <details>
        <summary>Settings of any fault</summary>
        <Facts of={SCOPE.map(([name, words]) => [<code key={name}>{name}</code>, words])} />
      </details>
      <SameByCode json={json} />
    </>
  );
}

function filled(example: string): { readonly example: string; readonly json: string } {
  return { example, json: JSON.stringify(EXAMPLES[example]?.fault, null, 2) };
}

/** How a program switches on the same fault. Nothing is shown until the user has written it to its end. */
function SameByCode({ json: written }: { readonly json: string }) {
  let json: string;
  try {
    json = JSON.stringify(JSON.parse(written));
  } catch {
    return null;
  }
  return (
    <details class="same">
      <summary>The same by code</summary>
      <div class="stack">
        <Snippet
          label="switch on this fault with curl"
          text={`curl ${location.origin}/emulator/admin/faults \\\n  -H 'Content-Type: application/json' \\\n  -d '${json.replaceAll("'", "'\\''")}'`}
        />
        <Snippet label="switch on this fault in a test" text={`using fault = emulator.fail(${json});`} />
        <Snippet
          label="start with this fault"
          text={`const emulator = await startEmulator({ faults: [${json}] });`}
        />
      </div>
    </details>
  );
}

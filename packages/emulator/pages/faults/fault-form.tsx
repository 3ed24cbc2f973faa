import { Snippet } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { type Draft, drafts, JsonForm } from '../parts/json-form.tsx';
import { tell } from '../shell/ask.ts';
import { EXAMPLES, SCOPE } from './fault-examples.ts';

/** Switches on a fault or a script, as JSON; the examples fill it in. */
export function FaultForm({ onAdded }: { readonly onAdded: () => void }) {
  const first = written('Answer with a status');
  return (
    <>
      <JsonForm
        name="fault"
        first={first}
        label="Fault, as JSON"
        hint="Change what you like. Settings that any fault can have are in the list below."
        action="Switch on"
        onSave={(fault) => tell('POST', '/faults', fault).then(onAdded)}
        isReused
        choices={{ label: 'Examples', of: EXAMPLES, draft: written }}
      />
      <details>
        <summary>Settings of any fault</summary>
        <Facts of={SCOPE.map(([name, words]) => [<code key={name}>{name}</code>, words])} />
      </details>
      <SameByCode {...(drafts.value.fault ?? first)} />
    </>
  );
}

function written(example: string): Draft {
  return { json: JSON.stringify(EXAMPLES[example]?.fault, null, 2), of: example };
}

/** How a program switches on the same fault. Nothing is shown until the user has written it to its end. */
function SameByCode({ json: typed }: Draft) {
  let json: string;
  try {
    json = JSON.stringify(JSON.parse(typed));
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

import { useState } from 'preact/hooks';
import type { FaultRow } from '../../src/admin/contract.ts';
import { Field } from '../parts/field.tsx';
import { AskError, tell } from '../shell/asking/ask.ts';
import { useTask } from '../shell/asking/task.ts';
import { useDraft } from '../shell/draft.ts';
import { SameByCode } from './same-by-code.tsx';
import { EXAMPLES } from './script-examples.ts';
import { SwitchOn } from './switch-on.tsx';

/** Switches on a script: faults in order, as JSON. */
export function ScriptForm({ onAdded }: { readonly onAdded: () => void }) {
  const { value: text, set: setText } = useDraft('script', () => '');
  const [syntax, setSyntax] = useState<string | undefined>();
  const task = useTask();
  const read = parse(text);
  const change = (to: string) => {
    setText(to);
    setSyntax(undefined);
    task.clear();
  };
  const add = (event: Event) => {
    event.preventDefault();
    setSyntax(read.problem);
    if (read.problem !== undefined) return;
    task.run(async () => {
      await tell<FaultRow>('POST', '/faults', read.value);
      onAdded();
    });
  };
  const refused = task.error instanceof AskError ? task.error.message : undefined;
  return (
    <form class="stack" onSubmit={add} noValidate>
      <p class="muted">
        An array of faults: each begins when the one before it is over. Give all but the last{' '}
        <code>times</code>, <code>requests</code> or <code>forMs</code>; <code>{'{"kind":"none"}'}</code> is a
        rest. Begin with:
      </p>
      <div class="row suggestions">
        {EXAMPLES.map(({ name, script }) => (
          <button
            key={name}
            type="button"
            class="small"
            onClick={() => change(JSON.stringify(script, null, 2))}
          >
            {name}
          </button>
        ))}
      </div>
      <Field label="Script, as JSON" error={syntax ?? refused}>
        {(input) => (
          <textarea
            {...input}
            class="script"
            rows={10}
            value={text}
            spellcheck={false}
            placeholder={'[\n  { "kind": "status", "status": 503, "times": 3 },\n  …\n]'}
            onInput={(event) => change(event.currentTarget.value)}
          />
        )}
      </Field>
      {syntax !== undefined && (
        <p class="problem" role="alert">
          Nothing was switched on: {syntax}
        </p>
      )}
      <SwitchOn task={task} />
      {read.problem === undefined && <SameByCode fault={read.value} />}
    </form>
  );
}

function parse(text: string): { readonly value?: unknown; readonly problem?: string } {
  if (text.trim() === '') return { problem: 'There is no script yet: write one, or begin with an example.' };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `This is not JSON: ${reason}` };
  }
}

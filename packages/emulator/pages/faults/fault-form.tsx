import type { FaultRow } from '../../src/admin/contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { Form } from '../parts/dialog.tsx';
import { Field, type FieldInput, Suggestions, typing } from '../parts/field.tsx';
import { tell } from '../shell/ask.ts';
import { fieldError, useTask } from '../shell/asking.ts';
import { useDraft } from '../shell/draft.ts';
import { type Input, inputsOf, KINDS, type Kind, toFault, type Values } from './fault-kinds.ts';

interface FaultFormProps {
  readonly kind: Kind;
  readonly onAdded: () => void;
}

/** Switches on a fault of a kind, or a script. What the user has typed is kept. */
export function FaultForm({ kind, onAdded }: FaultFormProps) {
  const { examples, values: begin = {} } = KINDS[kind];
  const { value: values, set } = useDraft<Values>(`fault ${kind}`, () => begin);
  const task = useTask();
  const fill = (changed: Values) => {
    set({ ...values, ...changed });
    task.clear();
  };
  const add = async () => {
    await tell<FaultRow>('POST', '/faults', toFault(kind, values));
    onAdded();
  };
  return (
    <>
      {examples && <Suggestions choices={examples} onChoose={fill} />}
      <Form task={task} action="Switch on" onAction={add}>
        <div class="fields">
          {inputsOf(kind).map((input) => {
            const { name, label, hint } = input;
            return (
              <Field key={name} label={label} hint={hint} error={fieldError(task.error, `fault.${name}`)}>
                {(field) => control(input, field, values[name] ?? '', (value) => fill({ [name]: value }))}
              </Field>
            );
          })}
        </div>
      </Form>
      <SameByCode fault={() => toFault(kind, values)} />
    </>
  );
}

function control(
  { type, placeholder }: Input,
  field: FieldInput,
  value: string,
  onChange: (value: string) => void,
) {
  const change = typing(onChange);
  const text = { ...field, value, placeholder, spellcheck: false, onInput: change };
  if (type === 'json') return <textarea {...text} class="script" />;
  if (type === 'long-text') return <textarea {...text} rows={2} />;
  if (typeof type === 'string')
    return <input {...text} inputMode={type === 'text' ? 'text' : 'decimal'} autocomplete="off" />;
  return (
    <select {...field} value={value} onChange={change}>
      {Object.entries(type).map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** How a program switches on the same fault. Nothing is shown until the user has written it to its end. */
function SameByCode({ fault }: { readonly fault: () => unknown }) {
  let json: string;
  try {
    json = JSON.stringify(fault());
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

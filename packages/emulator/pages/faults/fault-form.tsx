import { useState } from 'preact/hooks';
import type { FaultRow } from '../../src/admin/contract.ts';
import { Choice, Field, type FieldInput, Suggestions, typing } from '../parts/field.tsx';
import { tell } from '../shell/ask.ts';
import { fieldError, useTask } from '../shell/asking.ts';
import { type Input, KINDS, type Kind, scopeInputs, toFault, type Values } from './fault-kinds.ts';
import { SwitchOn } from './switch-on.tsx';

/** Switches on one fault: its kind, and the requests that it acts on. */
export function FaultForm({ onAdded }: { readonly onAdded: () => void }) {
  const [kind, setKind] = useState<Kind>('status');
  const [values, setValues] = useState<Values>(KINDS.status.values);
  const task = useTask();
  const { examples, inputs } = KINDS[kind];
  const { first, rest } = scopeInputs(kind);
  const fill = (from: Values) => {
    setValues(from);
    task.clear();
  };
  const choose = (to: Kind) => {
    setKind(to);
    fill(KINDS[to].values);
  };
  const fault = () => toFault(kind, values);
  const add = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      await tell<FaultRow>('POST', '/faults', fault());
      onAdded();
    });
  };
  const fields = (list: readonly Input[]) => (
    <div class="fields">
      {list.map((input) => {
        const { name, label, hint, type } = input;
        const error = fieldError(task.error, `fault.${name}`);
        const change = (value: string) => fill({ ...values, [name]: value });
        return (
          <Field
            key={`${kind} ${name}`}
            label={label}
            hint={hint}
            error={error}
            class={type === 'long-text' ? 'wide' : ''}
          >
            {(field) => control(input, field, values[name] ?? '', change)}
          </Field>
        );
      })}
    </div>
  );
  return (
    <form class="stack" onSubmit={add} noValidate>
      <Choice label="Kind of fault" choices={KINDS} value={kind} onChange={choose} />
      {examples && <Suggestions choices={examples} onChoose={(example) => fill({ ...values, ...example })} />}
      {inputs.length > 0 && fields(inputs)}
      {fields(first)}
      <details>
        <summary>More on when it acts</summary>
        {fields(rest)}
      </details>
      <SwitchOn task={task} fault={fault} />
    </form>
  );
}

function control(
  { type, placeholder }: Input,
  field: FieldInput,
  value: string,
  onChange: (value: string) => void,
) {
  const change = typing(onChange);
  if (typeof type === 'object') {
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
  if (type === 'long-text')
    return <textarea {...field} rows={2} value={value} spellcheck={false} onInput={change} />;
  return (
    <input
      {...field}
      inputMode={type === 'text' ? 'text' : 'decimal'}
      value={value}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete="off"
      onInput={change}
    />
  );
}

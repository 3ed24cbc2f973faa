import { useState } from 'preact/hooks';
import type { FaultRow } from '../../src/admin/contract.ts';
import { tell } from '../shell/asking/ask.ts';
import { fieldError, useTask } from '../shell/asking/task.ts';
import { FaultInput } from './fault-input.tsx';
import { type Input, KINDS, type Kind, scopeInputs, toFault, type Values } from './fault-kinds.ts';
import { SameByCode } from './same-by-code.tsx';
import { SwitchOn } from './switch-on.tsx';

/** Switches on one fault: its kind, and the requests that it acts on. */
export function FaultForm({ onAdded }: { readonly onAdded: () => void }) {
  const [kind, setKind] = useState<Kind>('status');
  const [values, setValues] = useState<Values>(KINDS.status.values);
  const task = useTask();
  const { examples } = KINDS[kind];
  const fill = (from: Values) => {
    setValues(from);
    task.clear();
  };
  const choose = (to: Kind) => {
    setKind(to);
    fill(KINDS[to].values);
  };
  const change = (name: string, value: string) => fill({ ...values, [name]: value });
  const fault = toFault(kind, values);
  const add = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      await tell<FaultRow>('POST', '/faults', fault);
      onAdded();
    });
  };
  const { first, rest } = scopeInputs(kind);
  const inputs = (list: readonly Input[]) =>
    list.map((input) => (
      <FaultInput
        key={`${kind} ${input.name}`}
        input={input}
        value={values[input.name] ?? ''}
        error={fieldError(task.error, `fault.${input.name}`)}
        onChange={(value) => change(input.name, value)}
      />
    ));
  return (
    <form class="stack" onSubmit={add} noValidate>
      <fieldset class="options kinds">
        <legend class="visually-hidden">Kind of fault</legend>
        {(Object.keys(KINDS) as Kind[]).map((each) => (
          <label key={each} class="option">
            <input type="radio" name="kind" checked={each === kind} onChange={() => choose(each)} />
            <strong>{KINDS[each].title}</strong>
            <small>{KINDS[each].about}</small>
          </label>
        ))}
      </fieldset>
      {examples !== undefined && (
        <div class="row suggestions">
          {Object.entries(examples).map(([name, example]) => (
            <button key={name} type="button" class="small" onClick={() => fill({ ...values, ...example })}>
              {name}
            </button>
          ))}
        </div>
      )}
      {KINDS[kind].inputs.length > 0 && <div class="fields narrow">{inputs(KINDS[kind].inputs)}</div>}
      <div class="fields narrow">{inputs(first)}</div>
      {rest.length > 0 && (
        <details>
          <summary>More on when it acts</summary>
          <div class="fields narrow">{inputs(rest)}</div>
        </details>
      )}
      <SwitchOn task={task} />
      <SameByCode fault={fault} />
    </form>
  );
}

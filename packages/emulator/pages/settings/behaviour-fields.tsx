import type { Behaviour } from '../../src/behaviour.ts';
import { REFUSALS, type RefusalCode } from '../../src/refusal.ts';
import { Field } from '../parts/field.tsx';
import { fieldError } from '../shell/task.ts';
import { CHOICES, FLAGS, NUMBERS } from './behaviour-words.ts';
import { NumberInput } from './number-input.tsx';

interface BehaviourFieldsProps {
  readonly behaviour: Behaviour;
  /** The settings of the preset. */
  readonly base: Behaviour;
  readonly error: unknown;
  readonly onChange: (change: Partial<Behaviour>) => void;
}

/** The single settings, each with a hint. */
export function BehaviourFields({ behaviour, base, error, onChange }: BehaviourFieldsProps) {
  const problem = (name: string) =>
    fieldError(error, name) ??
    fieldError(error, `behaviour.${name}`) ??
    fieldError(error, `statuses.${name}`);
  const mark = (name: keyof Behaviour) => (behaviour[name] === base[name] ? '' : 'changed');
  return (
    <>
      <div class="fields">
        {NUMBERS.map(({ name, label, hint, isOptional }) => (
          <Field key={name} label={label} hint={hint} error={problem(name)} class={mark(name)}>
            {(input) => (
              <NumberInput
                {...input}
                value={behaviour[name]}
                placeholder={isOptional ? 'no limit' : undefined}
                onChange={(value) => onChange({ [name]: value })}
              />
            )}
          </Field>
        ))}
        {CHOICES.map(({ name, label, hint, choices }) => (
          <Field key={name} label={label} hint={hint} error={problem(name)} class={mark(name)}>
            {(input) => (
              <select
                {...input}
                value={behaviour[name]}
                onChange={(event) => onChange({ [name]: event.currentTarget.value })}
              >
                {Object.entries(choices).map(([value, words]) => (
                  <option key={value} value={value}>
                    {words}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
      </div>
      <div class="fields">
        {FLAGS.map(({ name, label, hint }) => (
          <label key={name} class={`option flat ${mark(name)}`}>
            <input
              type="checkbox"
              checked={behaviour[name]}
              onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
            />
            <strong>{label}</strong>
            <small>{hint}</small>
          </label>
        ))}
      </div>
      <Statuses behaviour={behaviour} problem={problem} onChange={(statuses) => onChange({ statuses })} />
    </>
  );
}

interface StatusesProps {
  readonly behaviour: Behaviour;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (statuses: Behaviour['statuses']) => void;
}

const OPERATORS: readonly RefusalCode[] = ['not_operator', 'unknown_id'];
const CODES = (Object.keys(REFUSALS) as RefusalCode[]).filter((code) => !OPERATORS.includes(code));

function Statuses({ behaviour, problem, onChange }: StatusesProps) {
  const { statuses } = behaviour;
  const count = Object.keys(statuses).length;
  const change = (code: RefusalCode, status: number | null) => {
    const others = Object.entries(statuses).filter(([each]) => each !== code);
    onChange(Object.fromEntries(status === null ? others : [...others, [code, status]]));
  };
  return (
    <details>
      <summary>Statuses of refusals{count > 0 && <span class="badge">{count} of their own</span>}</summary>
      <div class="fields statuses">
        {CODES.map((code) => (
          <Field
            key={code}
            label={code}
            hint={REFUSALS[code].when.replaceAll('`', '')}
            error={problem(`statuses.${code}`)}
          >
            {(input) => (
              <NumberInput
                {...input}
                value={statuses[code] ?? null}
                placeholder={String(REFUSALS[code].status)}
                onChange={(status) => change(code, status)}
              />
            )}
          </Field>
        ))}
      </div>
    </details>
  );
}

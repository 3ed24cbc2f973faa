import type { Customer } from '@sluice/protocol';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/problem.tsx';
import { fieldError, useTask } from '../shell/task.ts';
import { type Draft, type DraftProblem, newDraft, readDrafts, toDrafts } from './drafts.ts';

interface AttributesFormProps {
  readonly attributes: Customer;
  readonly primaryKey: string;
  readonly action: string;
  readonly onSave: (attributes: Customer) => Promise<unknown>;
  readonly onCancel: () => void;
}

/** A form for the attributes of a customer: names and values. Values are strings, unless the user marks them as JSON. */
export function AttributesForm({ attributes, primaryKey, action, onSave, onCancel }: AttributesFormProps) {
  const [drafts, setDrafts] = useState(() => toDrafts(attributes, primaryKey));
  const [problems, setProblems] = useState<ReadonlyMap<number, DraftProblem>>(new Map());
  const form = useRef<HTMLFormElement>(null);
  const task = useTask();
  const [keyDraft] = drafts;
  const refusal = fieldError(task.error, `attributes.${primaryKey}`);
  useEffect(() => {
    // Moves the focus to the first wrong field.
    if (problems.size > 0 || refusal)
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problems, refusal]);
  const change = (draft: Draft) => {
    setDrafts(drafts.map((each) => (each.key === draft.key ? draft : each)));
    task.clear();
  };
  const save = (event: Event) => {
    event.preventDefault();
    const read = readDrafts(drafts);
    setProblems(read.problems);
    if (read.problems.size === 0) task.run(() => onSave(read.attributes));
  };
  const [added, setAdded] = useState<number | undefined>();
  const add = () => {
    const draft = newDraft();
    setDrafts([...drafts, draft]);
    setAdded(draft.key);
  };
  useEffect(() => {
    const names = form.current?.querySelectorAll<HTMLElement>('.draft > input');
    if (added !== undefined) names?.item(names.length - 1).focus();
  }, [added]);
  const giveUp = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault(); // Escape closes only the form, not the panel around it
    onCancel();
  };
  return (
    <form class="stack" ref={form} onSubmit={save} onKeyDown={giveUp} noValidate>
      <ul class="drafts" aria-label="Attributes">
        {drafts.map((draft) => (
          <DraftFields
            key={draft.key}
            draft={draft}
            isPrimaryKey={draft === keyDraft}
            problem={
              problems.get(draft.key) ??
              (draft === keyDraft && refusal ? { at: 'value', message: refusal } : undefined)
            }
            onChange={change}
            onRemove={() => setDrafts(drafts.filter(({ key }) => key !== draft.key))}
          />
        ))}
      </ul>
      <div class="row">
        <button type="button" class="small" onClick={add}>
          Add an attribute
        </button>
      </div>
      {problems.size > 0 && (
        <p class="problem" role="alert">
          Nothing is saved yet: mend what is marked above.
        </p>
      )}
      <Problem error={task.error} />
      <div class="row end">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="main" disabled={task.isRunning}>
          {action}
        </button>
      </div>
    </form>
  );
}

interface DraftFieldsProps {
  readonly draft: Draft;
  readonly isPrimaryKey: boolean;
  readonly problem: DraftProblem | undefined;
  readonly onChange: (draft: Draft) => void;
  readonly onRemove: () => void;
}

function DraftFields({ draft, isPrimaryKey, problem, onChange, onRemove }: DraftFieldsProps) {
  const id = useId();
  const label = draft.name === '' ? 'the new attribute' : draft.name;
  return (
    <li class="draft">
      {isPrimaryKey ? (
        <span class="draft-key">
          <code>{draft.name}</code> <span class="badge">primary key</span>
        </span>
      ) : (
        <input
          aria-label="Name of the attribute"
          placeholder="name"
          value={draft.name}
          spellcheck={false}
          aria-invalid={problem?.at === 'name'}
          aria-describedby={id}
          onInput={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        />
      )}
      <textarea
        class={draft.isJson ? 'json' : ''}
        rows={1}
        aria-label={`Value of ${label}`}
        placeholder={draft.isJson ? 'JSON' : 'text'}
        value={draft.value}
        spellcheck={false}
        aria-invalid={problem?.at === 'value'}
        aria-describedby={id}
        onInput={(event) => onChange({ ...draft, value: event.currentTarget.value })}
      />
      {!isPrimaryKey && (
        <span class="draft-tools">
          <select
            aria-label={`Kind of ${label}`}
            value={draft.isJson ? 'json' : 'text'}
            onChange={(event) => onChange({ ...draft, isJson: event.currentTarget.value === 'json' })}
          >
            <option value="text">text</option>
            <option value="json">JSON</option>
          </select>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${label}`}
            title="Remove"
            onClick={onRemove}
          >
            ✕
          </button>
        </span>
      )}
      <p id={id} class="field-error">
        {problem?.message}
      </p>
    </li>
  );
}

import type { Customer } from '@sluice/protocol';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/dialogs/problem.tsx';
import { fieldError, useTask } from '../shell/asking/task.ts';
import { useDraft } from '../shell/draft.ts';
import { type Draft, type DraftProblem, newDraft, readDrafts, toDrafts } from './drafts.ts';

interface AttributesFormProps {
  readonly attributes: Customer;
  readonly primaryKey: string;
  /** The version of the attributes; an empty text for a new customer. */
  readonly version: string;
  /** The name under which the draft is kept. */
  readonly draftName: string;
  readonly action: string;
  /** `version` is the one that the user began with. */
  readonly onSave: (attributes: Customer, version: string) => Promise<unknown>;
  /** Called when the user discards the draft, or leaves it for later with Escape. */
  readonly onClose: () => void;
}

/**
 * A form for the attributes of a customer: names and values. Values are strings, unless the user marks them as JSON. What the user
 * has typed is kept until it is saved or discarded.
 */
export function AttributesForm(props: AttributesFormProps) {
  const { attributes, primaryKey, action, draftName, onSave, onClose } = props;
  const draft = useDraft(draftName, () => ({
    drafts: toDrafts(attributes, primaryKey),
    version: props.version,
  }));
  const { drafts, version } = draft.value;
  const setDrafts = (changed: readonly Draft[]) => draft.set({ drafts: [...changed], version });
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
  const change = (changed: Draft) => {
    setDrafts(drafts.map((each) => (each.key === changed.key ? changed : each)));
    task.clear();
  };
  const save = (event: Event) => {
    event.preventDefault();
    const read = readDrafts(drafts);
    setProblems(read.problems);
    if (read.problems.size > 0) return;
    task.run(async () => {
      await onSave(read.attributes, version);
      draft.discard();
    });
  };
  const [added, setAdded] = useState<number | undefined>();
  const add = () => {
    const made = newDraft();
    setDrafts([...drafts, made]);
    setAdded(made.key);
  };
  useEffect(() => {
    const names = form.current?.querySelectorAll<HTMLElement>('.draft > input');
    if (added !== undefined) names?.item(names.length - 1).focus();
  }, [added]);
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault(); // Escape closes only the form, not the panel around it
    onClose();
  };
  return (
    <form class="stack" ref={form} onSubmit={save} onKeyDown={leave} noValidate>
      <ul class="drafts" aria-label="Attributes">
        {drafts.map((each) => (
          <DraftFields
            key={each.key}
            draft={each}
            isPrimaryKey={each === keyDraft}
            problem={
              problems.get(each.key) ??
              (each === keyDraft && refusal ? { at: 'value', message: refusal } : undefined)
            }
            onChange={change}
            onRemove={() => setDrafts(drafts.filter(({ key }) => key !== each.key))}
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
          Nothing is saved yet. Correct the marked fields.
        </p>
      )}
      <Problem error={task.error} />
      <div class="row end">
        {draft.isKept && <span class="muted grow">Not saved yet. Escape keeps your changes for later.</span>}
        <button
          type="button"
          onClick={() => {
            draft.discard();
            onClose();
          }}
        >
          {draft.isKept ? 'Discard' : 'Cancel'}
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

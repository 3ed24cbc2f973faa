import type { Customer } from '@sluice/protocol';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/dialog.tsx';
import { typing } from '../parts/field.tsx';
import { type AskError, readJson } from '../shell/ask.ts';
import { fieldError, useTask } from '../shell/asking.ts';
import { useDraft } from '../shell/draft.ts';

/** An attribute that is being edited. */
interface Draft {
  readonly name: string;
  readonly value: string;
  /** Whether `value` is JSON. If not, it is the string itself. */
  readonly isJson: boolean;
}

/** What is wrong with a draft. */
interface DraftProblem {
  readonly at: 'name' | 'value';
  readonly message: string;
}

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
  const [added, setAdded] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const task = useTask();
  const refusal = fieldError(task.error, `attributes.${primaryKey}`);
  const focus = (selector: string) => Array.from(form.current?.querySelectorAll<HTMLElement>(selector) ?? []);
  useEffect(() => {
    if (problems.size > 0 || refusal) focus('[aria-invalid=true]')[0]?.focus();
  }, [problems, refusal]);
  useEffect(() => {
    if (added > 0) focus('.draft > input').at(-1)?.focus();
  }, [added]);
  const change = (index: number, ...changed: readonly Draft[]) => {
    setDrafts(drafts.toSpliced(index, 1, ...changed));
    if (changed.length === 0) setProblems(new Map());
    task.clear();
  };
  const add = () => {
    setDrafts([...drafts, newDraft('', '')]);
    setAdded(added + 1);
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
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault(); // Escape closes only the form, not the panel around it
    onClose();
  };
  return (
    <form class="stack" ref={form} onSubmit={save} onKeyDown={leave} noValidate>
      <ul class="stack" aria-label="Attributes">
        {drafts.map((each, index) => (
          <DraftFields
            key={index}
            draft={each}
            isPrimaryKey={index === 0}
            problem={
              problems.get(index) ?? (index === 0 && refusal ? { at: 'value', message: refusal } : undefined)
            }
            onChange={(...changed) => change(index, ...changed)}
          />
        ))}
      </ul>
      <div class="row">
        <button type="button" class="small" onClick={add}>
          Add an attribute
        </button>
      </div>
      {problems.size > 0 && (
        <p class="notice bad" role="alert">
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
  /** Called with what it becomes; with nothing if it is removed. */
  readonly onChange: (...draft: readonly Draft[]) => void;
}

function DraftFields({ draft, isPrimaryKey, problem, onChange }: DraftFieldsProps) {
  const { name, value, isJson } = draft;
  const id = useId();
  const label = name === '' ? 'the new attribute' : name;
  const field = (at: DraftProblem['at']) => ({
    spellcheck: false,
    'aria-invalid': problem?.at === at,
    'aria-describedby': id,
    onInput: typing((value) => onChange({ ...draft, [at]: value })),
  });
  return (
    <li class="draft">
      {isPrimaryKey ? (
        <span class="draft-key">
          <code>{name}</code> <span class="badge">primary key</span>
        </span>
      ) : (
        <input {...field('name')} aria-label="Name of the attribute" placeholder="name" value={name} />
      )}
      <textarea
        {...field('value')}
        class={isJson ? 'json' : ''}
        rows={1}
        aria-label={`Value of ${label}`}
        placeholder={isJson ? 'JSON' : 'text'}
        value={value}
      />
      {!isPrimaryKey && (
        <span class="row">
          <select
            aria-label={`Kind of ${label}`}
            value={isJson ? 'json' : 'text'}
            onChange={typing((kind) => onChange({ ...draft, isJson: kind === 'json' }))}
          >
            <option value="text">text</option>
            <option value="json">JSON</option>
          </select>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${label}`}
            title="Remove"
            onClick={() => onChange()}
          >
            ✕
          </button>
        </span>
      )}
      <p id={id} class="is-bad small-text">
        {problem?.message}
      </p>
    </li>
  );
}

function newDraft(name: string, value: unknown): Draft {
  const isJson = typeof value !== 'string';
  return { name, value: isJson ? JSON.stringify(value, null, 2) : value, isJson };
}

/** Converts the attributes of a customer to drafts. The primary key comes first, even if the customer lacks it. */
function toDrafts(attributes: Customer, primaryKey: string): Draft[] {
  const { [primaryKey]: first = '', ...others } = attributes;
  return [
    newDraft(primaryKey, first),
    ...Object.entries(others).map(([name, value]) => newDraft(name, value)),
  ];
}

/**
 * Converts drafts to attributes, and returns the problems by the indexes of the drafts. The attributes are valid if there is no
 * problem. Drafts without name and value are left out.
 */
function readDrafts(drafts: readonly Draft[]) {
  const problems = new Map<number, DraftProblem>();
  const attributes = new Map<string, Customer[string]>();
  for (const [index, { name, value, isJson }] of drafts.entries()) {
    if (name === '' && value === '') continue;
    if (name === '') problems.set(index, { at: 'name', message: 'An attribute needs a name.' });
    if (attributes.has(name)) problems.set(index, { at: 'name', message: 'There are two of this name.' });
    try {
      attributes.set(name, isJson ? (readJson(value) as Customer[string]) : value);
    } catch (error) {
      problems.set(index, { at: 'value', message: (error as AskError).message });
    }
  }
  return { attributes: Object.fromEntries(attributes) as Customer, problems };
}

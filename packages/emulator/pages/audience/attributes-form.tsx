import type { Customer } from '@sluice/protocol';
import { useEffect, useRef } from 'preact/hooks';
import { Form } from '../parts/dialog.tsx';
import { typing } from '../parts/field.tsx';
import { AskError, readJson } from '../shell/ask.ts';
import { fieldError, useTask } from '../shell/asking.ts';
import { useDraft } from '../shell/draft.ts';

/** An attribute that is being edited. */
interface Draft {
  readonly name: string;
  readonly value: string;
  /** Whether `value` is JSON. If not, it is the string itself. */
  readonly isJson: boolean;
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
  const task = useTask();
  const list = useRef<HTMLUListElement>(null);
  const before = useRef(drafts.length);
  const focus = (selector: string) => list.current?.querySelector<HTMLElement>(selector)?.focus();
  useEffect(() => focus('[aria-invalid=true]'), [task.error]);
  useEffect(() => {
    if (drafts.length > before.current) focus('li:last-child > input');
    before.current = drafts.length;
  }, [drafts.length]);
  const change = (changed: readonly Draft[]) => {
    draft.set({ drafts: changed, version });
    task.clear();
  };
  const save = async () => {
    await onSave(readDrafts(drafts), version);
    draft.discard();
  };
  const discard = () => {
    draft.discard();
    onClose();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault(); // Escape closes only the form, not the panel around it
    onClose();
  };
  const aside = (
    <>
      {draft.isKept && <span class="muted grow">Not saved yet. Escape keeps your changes for later.</span>}
      <button type="button" onClick={discard}>
        {draft.isKept ? 'Discard' : 'Cancel'}
      </button>
    </>
  );
  return (
    <Form task={task} action={action} onAction={save} aside={aside}>
      <ul class="stack" aria-label="Attributes" ref={list} onKeyDown={leave}>
        {drafts.map((each, index) => (
          <DraftFields
            key={index}
            draft={each}
            isPrimaryKey={index === 0}
            error={fieldError(task.error, `attributes.${each.name}`)}
            onChange={(...changed) => change(drafts.toSpliced(index, 1, ...changed))}
          />
        ))}
      </ul>
      <div>
        <button type="button" class="small" onClick={() => change([...drafts, newDraft('', '')])}>
          Add an attribute
        </button>
      </div>
    </Form>
  );
}

interface DraftFieldsProps {
  readonly draft: Draft;
  readonly isPrimaryKey: boolean;
  readonly error: string | undefined;
  /** Called with what it becomes; with nothing if it is removed. */
  readonly onChange: (...draft: readonly Draft[]) => void;
}

function DraftFields({ draft, isPrimaryKey, error, onChange }: DraftFieldsProps) {
  const { name, value, isJson } = draft;
  const label = name === '' ? 'the new attribute' : name;
  return (
    <li class="draft row">
      <input
        aria-label="Name of the attribute"
        aria-invalid={error !== undefined && name === ''}
        title={isPrimaryKey ? 'The primary key' : ''}
        readOnly={isPrimaryKey}
        placeholder="name"
        spellcheck={false}
        value={name}
        onInput={typing((name) => onChange({ ...draft, name }))}
      />
      <textarea
        class={isJson ? 'mono' : ''}
        rows={1}
        aria-label={`Value of ${label}`}
        aria-invalid={error !== undefined && name !== ''}
        placeholder={isJson ? 'JSON' : 'text'}
        spellcheck={false}
        value={value}
        onInput={typing((value) => onChange({ ...draft, value }))}
      />
      <select
        aria-label={`Kind of ${label}`}
        disabled={isPrimaryKey}
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
        disabled={isPrimaryKey}
        onClick={() => onChange()}
      >
        ✕
      </button>
    </li>
  );
}

function newDraft(name: string, value: unknown): Draft {
  const isJson = typeof value !== 'string';
  return { name, value: isJson ? JSON.stringify(value, null, 2) : value, isJson };
}

/** Converts the attributes of a customer to drafts. The primary key comes first, even if the customer lacks it. */
function toDrafts(attributes: Customer, primaryKey: string): readonly Draft[] {
  const { [primaryKey]: first = '', ...others } = attributes;
  return [
    newDraft(primaryKey, first),
    ...Object.entries(others).map(([name, value]) => newDraft(name, value)),
  ];
}

/** Converts drafts to attributes, without those that have neither name nor value. Throws {@link AskError}. */
function readDrafts(drafts: readonly Draft[]): Customer {
  const attributes = new Map<string, Customer[string]>();
  for (const { name, value, isJson } of drafts) {
    if (name === '' && value === '') continue;
    const refuse = (message: string) => new AskError('attribute', message, `attributes.${name}`);
    if (name === '') throw refuse('An attribute needs a name.');
    if (attributes.has(name)) throw refuse(`There are two attributes of the name ${name}.`);
    try {
      attributes.set(name, isJson ? (readJson(value) as Customer[string]) : value);
    } catch (error) {
      throw refuse(`${name}: ${(error as AskError).message}`);
    }
  }
  return Object.fromEntries(attributes) as Customer;
}

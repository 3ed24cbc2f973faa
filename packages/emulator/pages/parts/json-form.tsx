import { type Signal, signal } from '@preact/signals';
import { readJson } from '../shell/ask.ts';
import { useTask } from '../shell/asking.ts';
import { Form } from './dialog.tsx';
import { Choice, Field, typing } from './field.tsx';

/** JSON to edit, and what it is of: the chosen example, or the version of a customer. */
export interface Draft {
  readonly json: string;
  readonly of: string;
}

/** What the user has typed and not saved, by the name of its form. It stays also if its page or panel closes. */
export const drafts: Signal<Readonly<Record<string, Draft>>> = signal({});

interface JsonFormProps {
  readonly name: string;
  /** What the form begins with. */
  readonly first: Draft;
  readonly label: string;
  readonly hint: string;
  readonly action: string;
  readonly onSave: (value: unknown, of: string) => Promise<unknown>;
  /** Whether the draft stays after it was saved: it may be wanted again. */
  readonly isReused?: boolean;
  /** Values to begin with. */
  readonly choices?: {
    readonly label: string;
    readonly of: Readonly<Record<string, { readonly about: string }>>;
    readonly draft: (of: string) => Draft;
  };
}

/** A form for something that is edited as JSON. */
export function JsonForm(props: JsonFormProps) {
  const { name, first, label, hint, action, onSave, isReused = false, choices } = props;
  const task = useTask();
  const draft = drafts.value[name];
  const { json, of } = draft ?? first;
  const keep = (next: Draft) => {
    drafts.value = { ...drafts.value, [name]: next };
    task.clear();
  };
  const discard = () => {
    const { [name]: _, ...others } = drafts.value;
    drafts.value = others;
    task.clear();
  };
  const save = async () => {
    await onSave(readJson(json), of);
    if (!isReused) discard();
  };
  const aside = draft && !isReused && (
    <>
      <span class="muted">Not saved yet</span>
      <button type="button" onClick={discard}>
        Discard
      </button>
    </>
  );
  return (
    <Form task={task} action={action} onAction={save} aside={aside}>
      {choices && (
        <Choice
          label={choices.label}
          choices={choices.of}
          value={of}
          onChange={(chosen) => keep(choices.draft(chosen))}
        />
      )}
      <Field label={label} hint={hint} error={task.error}>
        <textarea
          class="script"
          spellcheck={false}
          value={json}
          onInput={typing((json) => keep({ json, of }))}
        />
      </Field>
    </Form>
  );
}

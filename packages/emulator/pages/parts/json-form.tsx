import type { ComponentChildren } from 'preact';
import { AskError, readJson } from '../shell/ask.ts';
import { useTask } from '../shell/asking.ts';
import type { DraftState } from '../shell/draft.ts';
import { Form } from './dialog.tsx';
import { Field, typing } from './field.tsx';

interface JsonFormProps<T> {
  readonly draft: DraftState<T>;
  readonly label: string;
  readonly hint: string;
  readonly action: string;
  readonly onSave: (value: unknown) => Promise<unknown>;
  /** Other fields, above that for the JSON. */
  readonly children?: ComponentChildren;
}

/** A form for something that is edited as JSON. What the user has typed is kept until it is saved or discarded. */
export function JsonForm<T extends { readonly json: string }>(props: JsonFormProps<T>) {
  const { draft, label, hint, action, onSave, children } = props;
  const task = useTask();
  const change = (json: string) => {
    draft.set({ ...draft.value, json });
    task.clear();
  };
  const save = async () => {
    await onSave(readJson(draft.value.json));
    draft.discard();
  };
  const discard = () => {
    draft.discard();
    task.clear();
  };
  const aside = draft.isKept && (
    <>
      <span class="muted">Not saved yet</span>
      <button type="button" onClick={discard}>
        Discard
      </button>
    </>
  );
  return (
    <Form task={task} action={action} onAction={save} aside={aside}>
      {children}
      <Field
        label={label}
        hint={hint}
        error={task.error instanceof AskError ? task.error.message : undefined}
      >
        {(input) => (
          <textarea
            {...input}
            class="script"
            spellcheck={false}
            value={draft.value.json}
            onInput={typing(change)}
          />
        )}
      </Field>
    </Form>
  );
}

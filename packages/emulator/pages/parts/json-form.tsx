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
  /** Called when the user discards the draft, or leaves it for later with Escape. */
  readonly onClose?: () => void;
  /** Other fields, above that for the JSON. */
  readonly children?: ComponentChildren;
}

/** A form for something that is edited as JSON. What the user has typed is kept until it is saved or discarded. */
export function JsonForm<T extends { readonly json: string }>(props: JsonFormProps<T>) {
  const { draft, label, hint, action, onSave, onClose, children } = props;
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
    onClose?.();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !onClose) return;
    event.preventDefault(); // Escape closes only the form, not the panel around it
    onClose();
  };
  const aside = (draft.isKept || onClose) && (
    <>
      {draft.isKept && <span class="muted">Not saved yet</span>}
      <button type="button" onClick={discard}>
        {draft.isKept ? 'Discard' : 'Cancel'}
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
            onKeyDown={leave}
          />
        )}
      </Field>
    </Form>
  );
}

import type { Customer } from '@sluice/protocol';
import { Form } from '../parts/dialog.tsx';
import { Field, typing } from '../parts/field.tsx';
import { AskError, readJson } from '../shell/ask.ts';
import { useTask } from '../shell/asking.ts';
import { useDraft } from '../shell/draft.ts';

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

/** A form for the attributes of a customer, as JSON. What the user has typed is kept until it is saved or discarded. */
export function AttributesForm(props: AttributesFormProps) {
  const { attributes, primaryKey, action, draftName, onSave, onClose } = props;
  const draft = useDraft(draftName, () => ({
    text: JSON.stringify(attributes, null, 2),
    version: props.version,
  }));
  const { text, version } = draft.value;
  const task = useTask();
  const save = async () => {
    await onSave(readJson(text) as Customer, version);
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
      <Field
        label="Attributes, as JSON"
        hint={`The value of ${primaryKey} identifies the customer: a text.`}
        error={task.error instanceof AskError ? task.error.message : undefined}
      >
        {(input) => (
          <textarea
            {...input}
            class="script"
            spellcheck={false}
            value={text}
            onInput={typing((text) => draft.set({ text, version }))}
            onKeyDown={leave}
          />
        )}
      </Field>
    </Form>
  );
}

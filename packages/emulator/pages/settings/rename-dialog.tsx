import { useState } from 'preact/hooks';
import type { KeyRow } from '../../src/admin/contract.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { Problem } from '../parts/dialogs/problem.tsx';
import { Field } from '../parts/field.tsx';
import { tell } from '../shell/asking/ask.ts';
import { fieldError, useTask } from '../shell/asking/task.ts';

interface RenameDialogProps {
  readonly row: KeyRow;
  readonly onClose: () => void;
  readonly onRenamed: () => void;
}

/** Gives an API key another name. */
export function RenameDialog({ row, onClose, onRenamed }: RenameDialogProps) {
  const [name, setName] = useState(row.name);
  const task = useTask();
  const save = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      await tell('PATCH', `/keys/${row.id}`, { name });
      onRenamed();
      onClose();
    });
  };
  return (
    <Dialog title={`Rename “${row.name}”`} onClose={onClose}>
      <form class="stack" onSubmit={save} noValidate>
        <Field label="Name" error={fieldError(task.error, 'name')} hint="The key itself stays the same.">
          {(input) => (
            <input {...input} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          )}
        </Field>
        <Problem error={task.error} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={task.isRunning}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
}

import type { ComponentChildren } from 'preact';
import { useTask } from '../../shell/asking/task.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';

interface ConfirmProps {
  readonly title: string;
  /** The label of the button, for example "Revoke". */
  readonly action: string;
  readonly onClose: () => void;
  /** If it rejects, the dialog stays and shows the reason. */
  readonly onConfirm: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Asks before an action that cannot be undone. */
export function Confirm({ title, action, onClose, onConfirm, children }: ConfirmProps) {
  const task = useTask();
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Problem error={task.error} />
      <div class="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="main bad" disabled={task.isRunning} onClick={() => task.run(onConfirm)}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}

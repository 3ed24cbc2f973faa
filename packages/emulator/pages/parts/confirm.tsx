import type { ComponentChildren } from 'preact';
import { useTask } from '../shell/task.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';

interface ConfirmProps {
  readonly title: string;
  /** What the button does: "Revoke". */
  readonly action: string;
  readonly onClose: () => void;
  /** The dialog stays, and says why, where it rejects. */
  readonly onConfirm: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Asks before something is done that cannot be undone. */
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

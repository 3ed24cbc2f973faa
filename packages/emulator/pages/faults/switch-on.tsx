import { Problem } from '../parts/dialogs/problem.tsx';
import type { Task } from '../shell/asking/task.ts';

/** The end of a form that switches something on: the error, and the button. */
export function SwitchOn({ task }: { readonly task: Task }) {
  return (
    <>
      <Problem error={task.error} />
      <div class="row">
        <button type="submit" class="main" disabled={task.isRunning}>
          Switch on
        </button>
      </div>
    </>
  );
}

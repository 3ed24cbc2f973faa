import { ask } from './asking/ask.ts';
import { useTask } from './asking/task.ts';
import { status } from './live.ts';
import { link } from './route.ts';

/** On every page: how many faults are active, and a button that ends them. */
export function ActiveFaults() {
  const task = useTask();
  const { activeFaults = 0 } = status.value ?? {};
  if (activeFaults === 0) return null;
  return (
    <span class="active-faults">
      <a href={link(['faults'])}>
        {activeFaults === 1 ? '1 fault is active' : `${activeFaults} faults are active`}
      </a>
      <button
        type="button"
        class="small"
        disabled={task.isRunning}
        onClick={() => task.run(() => ask('/faults', { method: 'DELETE' }))}
      >
        End all faults
      </button>
    </span>
  );
}

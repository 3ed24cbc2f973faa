import { useState } from 'preact/hooks';
import { Snippet } from '../parts/copy.tsx';
import { Problem } from '../parts/dialog.tsx';
import { Choice } from '../parts/field.tsx';
import type { Task } from '../shell/asking.ts';

const WAYS = { curl: 'curl', test: 'In a test', start: 'From the start' } as const;

interface SwitchOnProps {
  readonly task: Task;
  /** Returns what is switched on. Throws if the user has not written it to its end. */
  readonly fault: () => unknown;
}

/** The end of a form that switches something on: the error, the button, and how a program does the same. */
export function SwitchOn({ task, fault }: SwitchOnProps) {
  const [way, setWay] = useState<keyof typeof WAYS>('curl');
  const code = codeOf(fault, way);
  return (
    <>
      <Problem error={task.error} />
      <div class="row">
        <button type="submit" class="main" disabled={task.isRunning}>
          Switch on
        </button>
      </div>
      {code !== undefined && (
        <details class="same">
          <summary>The same by code</summary>
          <div class="stack">
            <Choice label="By which code" choices={WAYS} value={way} onChange={setWay} />
            <Snippet label="switch on this fault" text={code} />
          </div>
        </details>
      )}
    </>
  );
}

function codeOf(fault: () => unknown, way: keyof typeof WAYS): string | undefined {
  try {
    const json = JSON.stringify(fault());
    return {
      curl: `curl ${location.origin}/emulator/admin/faults \\\n  -H 'Content-Type: application/json' \\\n  -d '${json.replaceAll("'", "'\\''")}'`,
      test: `using fault = emulator.fail(${json});`,
      start: `const emulator = await startEmulator({ faults: [${json}] });`,
    }[way];
  } catch {
    return undefined;
  }
}

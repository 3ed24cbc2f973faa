import { useState } from 'preact/hooks';
import { Segments } from '../parts/segments.tsx';
import { Snippet } from '../parts/text/snippet.tsx';

const WAYS = { curl: 'curl', test: 'In a test', start: 'From the start' } as const;

/** How a program switches on the same fault. */
export function SameByCode({ fault }: { readonly fault: unknown }) {
  const [way, setWay] = useState<keyof typeof WAYS>('curl');
  const json = JSON.stringify(fault);
  const code = {
    curl: `curl ${location.origin}/emulator/admin/faults \\\n  -H 'Content-Type: application/json' \\\n  -d '${json.replaceAll("'", "'\\''")}'`,
    test: `using fault = emulator.fail(${json});`,
    start: `const emulator = await startEmulator({ faults: [${json}] });`,
  }[way];
  return (
    <details class="same">
      <summary>The same by code</summary>
      <div class="stack">
        <Segments label="By which code" choices={WAYS} value={way} onChange={setWay} />
        <Snippet label="switch on this fault" text={code} />
      </div>
    </details>
  );
}

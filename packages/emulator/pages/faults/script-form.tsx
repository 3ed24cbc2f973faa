import type { FaultRow } from '../../src/admin/contract.ts';
import type { Fault, Script } from '../../src/faults/fault.ts';
import { JsonField, Suggestions } from '../parts/field.tsx';
import { AskError, readJson, tell } from '../shell/ask.ts';
import { useTask } from '../shell/asking.ts';
import { useDraft } from '../shell/draft.ts';
import { SwitchOn } from './switch-on.tsx';

const EXAMPLES: Readonly<Record<string, readonly Fault[] | Script>> = {
  Restart: [
    { kind: 'status', status: 503, times: 3 },
    { kind: 'down', forMs: 10_000 },
    { kind: 'latency', ms: 1_500, jitterMs: 1_000, requests: 5 },
  ],
  'Rate limit': [
    { kind: 'none', requests: 5 },
    { kind: 'status', status: 429, retryAfter: 5, times: 2 },
  ],
  'Bad network': {
    kind: 'script',
    repeat: true,
    steps: [
      { kind: 'none', requests: 3 },
      { kind: 'reset', times: 1 },
      { kind: 'lost-answer', times: 1 },
      { kind: 'latency', ms: 3_000, times: 2 },
    ],
  },
};

/** Switches on a script: faults in order, as JSON. */
export function ScriptForm({ onAdded }: { readonly onAdded: () => void }) {
  const { value: text, set: setText } = useDraft('script', () => '');
  const task = useTask();
  const change = (to: string) => {
    setText(to);
    task.clear();
  };
  const add = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      await tell<FaultRow>('POST', '/faults', read(text));
      onAdded();
    });
  };
  return (
    <form class="stack" onSubmit={add} noValidate>
      <p class="muted">
        An array of faults: each begins when the one before it is over. Give all but the last{' '}
        <code>times</code>, <code>requests</code> or <code>forMs</code>; <code>{'{"kind":"none"}'}</code> is a
        rest. Begin with:
      </p>
      <Suggestions choices={EXAMPLES} onChoose={(script) => change(JSON.stringify(script, null, 2))} />
      <JsonField
        label="Script, as JSON"
        error={task.error instanceof AskError ? task.error.message : undefined}
        value={text}
        placeholder={'[\n  { "kind": "status", "status": 503, "times": 3 },\n  …\n]'}
        onChange={change}
      />
      <SwitchOn task={task} fault={() => read(text)} />
    </form>
  );
}

function read(text: string): unknown {
  if (text.trim() !== '') return readJson(text);
  throw new AskError('empty', 'There is no script yet: write one, or begin with an example.');
}

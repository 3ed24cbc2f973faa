import { useState } from 'preact/hooks';
import type { CustomerImport } from '../../src/admin/audience-contract.ts';
import { Ask } from '../parts/dialog.tsx';
import { Facts, Table } from '../parts/facts.tsx';
import { Field } from '../parts/field.tsx';
import { formatCount, formatSome } from '../parts/text.tsx';
import { ask } from '../shell/ask.ts';
import type { Task } from '../shell/asking.ts';
import { attributeText } from './customer-columns.tsx';

interface ImportButtonProps {
  readonly primaryKey: string;
  readonly onImported: () => void;
}

/** Imports customers from a CSV file. First it shows what the file contains, and what is wrong with it. */
export function ImportButton({ primaryKey, onImported }: ImportButtonProps) {
  const [chosen, setChosen] = useState<{ readonly file: File; readonly preview: CustomerImport }>();
  const send = (body: File | undefined, query: string) => {
    const headers = { 'content-type': 'text/csv' };
    return ask<CustomerImport>(`/customers/import${query}`, { method: 'POST', headers, body: body ?? '' });
  };
  const choose = (task: Task, file: File | undefined) => {
    setChosen(undefined);
    if (file !== undefined)
      task.run(async () => setChosen({ file, preview: await send(file, '?preview=true') }));
  };
  const { problemCount = 1, lines = 0 } = chosen?.preview ?? {};
  const isReady = problemCount === 0 && lines > 0;
  return (
    <Ask
      button="Import CSV"
      title="Import customers"
      action={isReady ? `Import ${formatSome(lines, 'customer')}` : 'Import'}
      isReady={isReady}
      onOpen={() => setChosen(undefined)}
      onAction={() => send(chosen?.file, '').then(onImported)}
    >
      {(task) => (
        <>
          <p class="muted">
            The first line has the names of the attributes, with <code>{primaryKey}</code>. Each further line
            is a customer. Separate the fields with commas, semicolons or tabs. All values become text. The
            import replaces customers that exist already.
          </p>
          <Field label="CSV file" hint="Choose one, or drop it on the field.">
            <input
              type="file"
              class="drop"
              accept=".csv,.tsv,.txt,text/csv"
              onClick={({ currentTarget }) => {
                currentTarget.value = ''; // so that the user can choose the same file again after correcting it
              }}
              onChange={({ currentTarget }) => choose(task, currentTarget.files?.[0])}
            />
          </Field>
          <div class="stack" role="status">
            {task.isRunning && (chosen === undefined ? 'Reading…' : 'Importing…')}
            {chosen && <Preview preview={chosen.preview} />}
          </div>
        </>
      )}
    </Ask>
  );
}

/** Shows what a CSV file contains, and what is wrong with it. */
function Preview({ preview }: { readonly preview: CustomerImport }) {
  const { columns, lines, added, replaced, sample, problems, problemCount } = preview;
  if (problemCount > 0) {
    return (
      <div class="stack" role="alert">
        <p class="notice bad">
          Nothing can be imported: {formatSome(problemCount, 'line is', 'lines are')} wrong. Correct the file,
          and choose it again.
        </p>
        <Facts of={problems.map(({ line, message }) => [`Line ${formatCount(line)}`, message])} />
        {problemCount > problems.length && <p class="muted">These are the first {problems.length}.</p>}
      </div>
    );
  }
  if (lines === 0) return <p class="notice">The file has a first line, and no customers below it.</p>;
  return (
    <>
      <p>
        <strong>{formatSome(lines, 'line')}</strong>: {formatSome(added, 'new customer')}
        {replaced > 0 && `, ${formatCount(replaced)} replaced`}. The file begins with:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section class="scroll-x" tabIndex={0} aria-label="The first lines">
        <Table
          heads={columns}
          rows={sample.map((customer) => columns.map((name) => attributeText(customer[name] ?? '')))}
        />
      </section>
    </>
  );
}

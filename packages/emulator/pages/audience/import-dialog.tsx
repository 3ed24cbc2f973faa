import { useState } from 'preact/hooks';
import type { CustomerImport } from '../../src/admin/audience-contract.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts, Table } from '../parts/facts.tsx';
import { Field } from '../parts/field.tsx';
import { formatCount, formatSome } from '../parts/text.tsx';
import { ask } from '../shell/ask.ts';
import { useTask } from '../shell/asking.ts';
import { here } from '../shell/route.ts';
import { attributeText } from './customer-columns.tsx';

interface ImportDialogProps {
  readonly primaryKey: string;
  readonly onImported: () => void;
}

/** Imports customers from a CSV file. First it shows what the file contains, and what is wrong with it. */
export function ImportDialog({ primaryKey, onImported }: ImportDialogProps) {
  const [file, setFile] = useState<File | undefined>();
  const [preview, setPreview] = useState<CustomerImport | undefined>();
  const [isDone, setDone] = useState(false);
  const task = useTask();
  const close = async () => {
    location.hash = here();
  };
  const send = (body: File, query: string) => {
    const headers = { 'content-type': 'text/csv' };
    return ask<CustomerImport>(`/customers/import${query}`, { method: 'POST', headers, body });
  };
  const choose = (chosen: File | undefined) => {
    if (chosen === undefined) return;
    setFile(chosen);
    setPreview(undefined);
    setDone(false);
    task.run(async () => setPreview(await send(chosen, '?preview=true')));
  };
  const act = async () => {
    if (isDone || file === undefined) return close();
    setPreview(await send(file, ''));
    setDone(true);
    onImported();
  };
  const isReady = preview !== undefined && preview.problemCount === 0 && preview.lines > 0;
  const words = isReady ? `Import ${formatSome(preview.lines, 'customer')}` : 'Import';
  return (
    <Dialog
      title="Import customers"
      task={task}
      action={isDone ? 'Done' : words}
      isReady={isReady}
      onAction={act}
      onClose={close}
    >
      <p class="muted">
        The first line has the names of the attributes, with <code>{primaryKey}</code>. Each further line is a
        customer. Separate the fields with commas, semicolons or tabs. All values become text. The import
        replaces customers that exist already.
      </p>
      <Field label="CSV file" hint="Choose one, or drop it on the field.">
        {(input) => (
          <input
            {...input}
            type="file"
            class="drop"
            accept=".csv,.tsv,.txt,text/csv"
            onClick={({ currentTarget }) => {
              currentTarget.value = ''; // so that the user can choose the same file again after correcting it
            }}
            onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
          />
        )}
      </Field>
      <div class="stack" role="status">
        {task.isRunning && (preview === undefined ? 'Reading…' : 'Importing…')}
        {isDone && preview && (
          <p>
            <strong>{formatSome(preview.added, 'customer')}</strong> added,{' '}
            <strong>{formatCount(preview.replaced)}</strong> replaced.
          </p>
        )}
        {!isDone && preview && <Preview preview={preview} />}
      </div>
    </Dialog>
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
        {replaced > 0 && `, ${formatCount(replaced)} replaced`}. It begins with:
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

import { useState } from 'preact/hooks';
import type { CustomerImport } from '../../src/admin/audience-contract.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
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
  const [result, setResult] = useState<CustomerImport | undefined>();
  const task = useTask();
  const close = () => {
    location.hash = here();
  };
  const choose = (chosen: File | undefined) => {
    if (chosen === undefined) return;
    setFile(chosen);
    setPreview(undefined);
    setResult(undefined);
    task.run(async () => setPreview(await send(chosen, '?preview=true')));
  };
  const act = async () => {
    if (result !== undefined) return close();
    if (file === undefined) return;
    setResult(await send(file, ''));
    onImported();
  };
  const isReady = preview !== undefined && preview.problemCount === 0 && preview.lines > 0;
  const words = isReady ? `Import ${formatSome(preview.lines, 'customer')}` : 'Import';
  return (
    <Dialog
      title="Import customers"
      task={task}
      action={result === undefined ? words : 'Done'}
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
      {task.isRunning && <p role="status">{preview === undefined ? 'Reading…' : 'Importing…'}</p>}
      {result !== undefined && (
        <p role="status">
          <strong>{formatSome(result.added, 'customer')}</strong> added,{' '}
          <strong>{formatCount(result.replaced)}</strong> replaced.
        </p>
      )}
      {result === undefined && preview !== undefined && <Preview preview={preview} />}
    </Dialog>
  );
}

function send(file: File, query: string): Promise<CustomerImport> {
  const headers = { 'content-type': 'text/csv' };
  return ask<CustomerImport>(`/customers/import${query}`, { method: 'POST', headers, body: file });
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
        <Facts
          class="line-problems"
          of={problems.map(({ line, message }) => [`Line ${formatCount(line)}`, message])}
        />
        {problemCount > problems.length && <p class="muted">These are the first {problems.length}.</p>}
      </div>
    );
  }
  if (lines === 0) return <p class="notice">The file has a first line, and no customers below it.</p>;
  return (
    <div class="stack" role="status">
      <p>
        <strong>{formatSome(lines, 'line')}</strong>: {formatSome(added, 'new customer')}
        {replaced > 0 && `, ${formatCount(replaced)} replaced`}. It begins with:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section class="scroll-x" tabIndex={0} aria-label="The first lines">
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sample.map((customer, index) => (
              <tr key={index}>
                {columns.map((name) => (
                  <td key={name}>{attributeText(customer[name] ?? '')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

import { useState } from 'preact/hooks';
import type { CustomerImport } from '../../src/admin/audience-contract.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Fact } from '../parts/facts.tsx';
import { formatBytes, formatCount, formatSome } from '../parts/text.tsx';
import { ask } from '../shell/ask.ts';
import { useTask } from '../shell/asking.ts';
import { attributeText } from './customer-columns.tsx';

interface ImportDialogProps {
  readonly primaryKey: string;
  readonly onClose: () => void;
  readonly onImported: () => void;
}

/** Imports customers from a CSV file. First it shows what the file contains, and what is wrong with it. */
export function ImportDialog({ primaryKey, onClose, onImported }: ImportDialogProps) {
  const [file, setFile] = useState<File | undefined>();
  const [preview, setPreview] = useState<CustomerImport | undefined>();
  const [result, setResult] = useState<CustomerImport | undefined>();
  const task = useTask();
  const choose = (chosen: File) => {
    setFile(chosen);
    setPreview(undefined);
    task.run(async () => setPreview(await send(chosen, '?preview=true')));
  };
  const start = async () => {
    if (file === undefined) return;
    setResult(await send(file, ''));
    onImported();
  };
  if (result !== undefined) {
    return (
      <Dialog
        title="Customers imported"
        task={task}
        action="Done"
        onAction={async () => onClose()}
        onClose={onClose}
      >
        <p role="status">
          <strong>{formatSome(result.added, 'customer')}</strong> added,{' '}
          <strong>{formatCount(result.replaced)}</strong> replaced.
        </p>
      </Dialog>
    );
  }
  const isReady = preview !== undefined && preview.problemCount === 0 && preview.lines > 0;
  return (
    <Dialog
      title="Import customers"
      task={task}
      action={isReady ? `Import ${formatSome(preview.lines, 'customer')}` : 'Import'}
      isReady={isReady}
      onAction={start}
      onClose={onClose}
    >
      <p class="muted">
        The first line has the names of the attributes, with <code>{primaryKey}</code>. Each further line is a
        customer. Separate the fields with commas, semicolons or tabs. All values become text. The import
        replaces customers that exist already.
      </p>
      <FileDrop onFile={choose} />
      {file !== undefined && (
        <p class="row">
          <strong class="cut">{file.name}</strong> <span class="muted">{formatBytes(file.size)}</span>
          {task.isRunning && <span role="status">{preview === undefined ? 'Reading…' : 'Importing…'}</span>}
        </p>
      )}
      {preview !== undefined && <Preview preview={preview} />}
    </Dialog>
  );
}

function send(file: File, query: string): Promise<CustomerImport> {
  const headers = { 'content-type': 'text/csv' };
  return ask<CustomerImport>(`/customers/import${query}`, { method: 'POST', headers, body: file });
}

/** Takes a CSV file that the user chooses or drops. */
function FileDrop({ onFile }: { readonly onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    setOver(false);
    const [file] = files ?? [];
    if (file !== undefined) onFile(file);
  };
  return (
    <label
      class={isOver ? 'drop is-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault(); // otherwise the browser opens the file
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer?.files);
      }}
    >
      <span>
        Drop a CSV file here, or <span class="drop-link">choose one</span>
      </span>
      <input
        type="file"
        class="visually-hidden"
        accept=".csv,.tsv,.txt,text/csv"
        aria-label="CSV file"
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = ''; // so that the user can choose the same file again after correcting it
        }}
      />
    </label>
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
        <dl class="facts line-problems">
          {problems.map(({ line, message }) => (
            <Fact key={`${line} ${message}`} name={`Line ${formatCount(line)}`}>
              {message}
            </Fact>
          ))}
        </dl>
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

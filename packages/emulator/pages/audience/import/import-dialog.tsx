import { useState } from 'preact/hooks';
import type { CustomerImport } from '../../../src/admin/audience-contract.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Problem } from '../../parts/dialogs/problem.tsx';
import { formatBytes, formatCount, formatSome } from '../../parts/text/numbers.ts';
import { ask } from '../../shell/asking/ask.ts';
import { useTask } from '../../shell/asking/task.ts';
import { FileDrop } from './file-drop.tsx';
import { ImportPreview } from './import-preview.tsx';

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
  const start = () =>
    task.run(async () => {
      if (file === undefined) return;
      setResult(await send(file, ''));
      onImported();
    });
  if (result !== undefined) {
    return (
      <Dialog title="Customers imported" onClose={onClose}>
        <p role="status">
          <strong>{formatSome(result.added, 'customer')}</strong> added,{' '}
          <strong>{formatCount(result.replaced)}</strong> replaced.
        </p>
        <div class="row end">
          <button type="button" class="main" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  }
  const isReady = preview !== undefined && preview.problemCount === 0 && preview.lines > 0;
  return (
    <Dialog title="Import customers" onClose={onClose}>
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
      {preview !== undefined && <ImportPreview preview={preview} />}
      <Problem error={task.error} />
      <div class="row end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="main" disabled={!isReady || task.isRunning} onClick={start}>
          {isReady ? `Import ${formatSome(preview.lines, 'customer')}` : 'Import'}
        </button>
      </div>
    </Dialog>
  );
}

function send(file: File, query: string): Promise<CustomerImport> {
  const headers = { 'content-type': 'text/csv' };
  return ask<CustomerImport>(`/customers/import${query}`, { method: 'POST', headers, body: file });
}

import { useState } from 'preact/hooks';

/** Takes a CSV file that the user chooses or drops. */
export function FileDrop({ onFile }: { readonly onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? [];
    if (file !== undefined) onFile(file);
  };
  const over = (event: DragEvent) => {
    event.preventDefault(); // otherwise the browser opens the file
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer?.files);
  };
  return (
    <label
      class={`drop ${isOver ? 'over' : ''}`}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
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

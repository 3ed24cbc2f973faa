import { CopyButton } from '../dialogs/copy-button.tsx';

/** A piece of code to copy. `label` says what it does. */
export function Snippet({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div class="snippet">
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}

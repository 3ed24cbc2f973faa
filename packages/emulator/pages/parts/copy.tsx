import { useState } from 'preact/hooks';

const SHOWN_MS = 1_500;

interface CopyButtonProps {
  readonly text: string;
  /** What the button copies, for users who do not see what is around it: "Copy uuid". */
  readonly label: string;
}

/** Copies a text to the clipboard, and says so. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [result, setResult] = useState('');
  const copy = async () => {
    // Beyond loopback, plain HTTP has no clipboard.
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
    setResult(
      await copied.then(
        () => 'Copied',
        () => 'Cannot copy',
      ),
    );
    setTimeout(() => setResult(''), SHOWN_MS);
  };
  return (
    <button type="button" class="quiet copy" aria-label={label} title={label} onClick={copy}>
      <span aria-live="polite">{result || 'Copy'}</span>
    </button>
  );
}

/** A piece of code to copy. `label` says what it does. */
export function Snippet({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <pre class="snippet">
      <CopyButton text={text} label={`Copy: ${label}`} />
      <code>{text}</code>
    </pre>
  );
}

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
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setResult(isCopied || copySelection(text) ? 'Copied' : 'Cannot copy');
    setTimeout(() => setResult(''), SHOWN_MS);
  };
  return (
    <button type="button" class="quiet copy" aria-label={label} title={label} onClick={copy}>
      <span aria-live="polite">{result || 'Copy'}</span>
    </button>
  );
}

// Beyond loopback, plain HTTP has no clipboard API: only a selection can be copied.
function copySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  const before = document.activeElement;
  (before?.closest('dialog') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}

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

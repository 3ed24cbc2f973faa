import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 1_500;

interface CopyButtonProps {
  readonly text: string;
  /** What the button copies, for users who do not see what is around it: "Copy uuid". */
  readonly label?: string;
}

/** Copies a text to the clipboard, and says so. */
export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [result, setResult] = useState('');
  useEffect(() => {
    if (result === '') return;
    const timer = setTimeout(() => setResult(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = async () => setResult((await toClipboard(text)) ? 'Copied' : 'Cannot copy');
  return (
    <button type="button" class="copy" aria-label={label} title={label} onClick={copy}>
      <span aria-live="polite">{result || 'Copy'}</span>
    </button>
  );
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
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

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Called when it is closed without a decision: with Escape. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A question or a form in front of the page, which waits for it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close(); // which gives the focus back
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={headingId} onCancel={cancel}>
      <h2 id={headingId}>{title}</h2>
      {children}
    </dialog>
  );
}

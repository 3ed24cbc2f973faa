import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Called when the user closes it with Escape, without a decision. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A question or a form in front of the page. The page is blocked until it closes. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close(); // this also gives the focus back
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

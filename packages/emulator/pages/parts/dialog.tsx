import type { ComponentChildren, RenderableProps, TargetedSubmitEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { AskError, ask, tell } from '../shell/ask.ts';
import { type Answer, type Task, useTask } from '../shell/asking.ts';

interface FormProps {
  /** Runs the action. The children show why it failed. */
  readonly task: Task;
  /** The label of the button, for example "Revoke". */
  readonly action: string;
  /** Whether the action cannot be undone. */
  readonly isDanger?: boolean;
  readonly isReady?: boolean;
  readonly onAction: (fields: FormData) => Promise<unknown>;
  /** What stands beside the button. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form with a button at its end. */
export function Form(props: FormProps) {
  const { task, action, isDanger = false, isReady = true, onAction, aside, children } = props;
  const act = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    task.run(() => onAction(fields));
  };
  return (
    <form class="stack" onSubmit={act}>
      {children}
      <div class="row end">
        {aside}
        <button type="submit" class={isDanger ? 'main bad' : 'main'} disabled={task.isRunning || !isReady}>
          {action}
        </button>
      </div>
    </form>
  );
}

/** Shows what went wrong with an answer or a task, if anything, in the words of the emulator. */
export function Problem({ of: { error, again } }: { readonly of: Partial<Answer<unknown>> }) {
  if (error === undefined || error === null) return null;
  const defect = () => `This page has a defect: ${error instanceof Error ? error.message : String(error)}`;
  return (
    <div class="notice bad row" role="alert">
      <span>{error instanceof AskError ? error.message : defect()}</span>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

interface ActButtonProps<T> {
  readonly label: string;
  /** The label for those who do not see what is around it. */
  readonly name?: string;
  readonly class?: string;
  readonly method: 'POST' | 'DELETE';
  /** The admin route to ask. */
  readonly path: string;
  readonly onDone?: (answer: T) => void;
}

/** A button that asks an admin route to do something, and shows why that failed. */
export function ActButton<T>({ label, name, class: kind, method, path, onDone }: ActButtonProps<T>) {
  const task = useTask();
  const act = () => task.run(() => ask<T>(path, { method }).then(onDone));
  return (
    <>
      <button type="button" class={kind} aria-label={name} disabled={task.isRunning} onClick={act}>
        {label}
      </button>
      <Problem of={task} />
    </>
  );
}

/** Shown instead of an empty list: why it is empty, and what to do. */
export function Empty({ title, children }: RenderableProps<{ readonly title: string }>) {
  return (
    <div class="empty stack">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export interface AskProps extends Omit<FormProps, 'task' | 'children'> {
  /** The button that opens the dialog, and its label for those who do not see what is around it. */
  readonly button: string;
  readonly label?: string;
  readonly class?: string;
  readonly title: string;
  readonly onOpen?: () => void;
  readonly children: ComponentChildren | ((task: Task) => ComponentChildren);
}

/**
 * A button that opens a dialog: a question or a form, which blocks the page until it closes. It closes after its action. If the
 * action fails, it stays and shows the reason.
 */
export function Ask({ button, label, class: kind, title, onOpen, onAction, children, ...form }: AskProps) {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  const task = useTask();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const open = () => {
    task.clear();
    onOpen?.();
    setOpen(true);
  };
  const close = () => dialog.current?.close(); // this also gives the focus back
  const cancel = (
    <button type="button" onClick={close}>
      Cancel
    </button>
  );
  return (
    <>
      <button type="button" class={kind} aria-label={label} onClick={open}>
        {button}
      </button>
      {isOpen && (
        <dialog ref={dialog} class="dialog" aria-labelledby={headingId} onClose={() => setOpen(false)}>
          <Form {...form} task={task} onAction={(fields) => onAction(fields).then(close)} aside={cancel}>
            <h2 id={headingId}>{title}</h2>
            {typeof children === 'function' ? children(task) : children}
            <Problem of={task} />
          </Form>
        </dialog>
      )}
    </>
  );
}

/** Deletes all events and requests, after a question. */
export function ClearButton() {
  const clear = (fields: FormData) => tell('POST', '/clear', { customers: fields.has('customers') });
  return (
    <Ask button="Clear" title="Clear the emulator?" action="Clear" isDanger onAction={clear}>
      <p>
        This deletes all events and requests, and ends all faults. API keys, the primary key and the settings
        stay.
      </p>
      <label class="row">
        <input type="checkbox" name="customers" />
        <strong>Delete all customers, too</strong>
      </label>
    </Ask>
  );
}

/** A button that opens a menu below it. The menu closes with Escape, and when the user clicks something else. */
export function Menu({ label, isSet, children }: RenderableProps<{ label: string; isSet?: boolean }>) {
  const id = useId();
  return (
    <>
      <button type="button" class={isSet ? 'is-set' : ''} popovertarget={id}>
        <span>{label}</span> ▾
      </button>
      <div id={id} popover class="menu-body">
        {children}
      </div>
    </>
  );
}

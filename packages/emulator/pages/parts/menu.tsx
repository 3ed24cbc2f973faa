import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface MenuProps {
  readonly label: ComponentChildren;
  readonly isSet?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens a menu below it. The menu closes with Escape, and when the user clicks or focuses something else. */
export function Menu({ label, isSet = false, children }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const closeOutside = ({ target }: Event) => {
      const element = details.current;
      if (element !== null && target instanceof Node && !element.contains(target)) element.open = false;
    };
    for (const type of ['pointerdown', 'focusin']) document.addEventListener(type, closeOutside);
    return () => {
      for (const type of ['pointerdown', 'focusin']) document.removeEventListener(type, closeOutside);
    };
  }, []);
  const closeOnEscape = (event: KeyboardEvent) => {
    const element = details.current;
    if (event.key !== 'Escape' || !element?.open) return;
    event.stopPropagation();
    element.open = false;
    element.querySelector('summary')?.focus();
  };
  return (
    <details ref={details} class="menu" onKeyDown={closeOnEscape}>
      <summary class={isSet ? 'is-set' : undefined}>{label}</summary>
      <div class="menu-body">{children}</div>
    </details>
  );
}

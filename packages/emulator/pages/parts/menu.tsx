import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface MenuProps {
  readonly label: ComponentChildren;
  readonly isSet?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens a menu below it. The menu closes with Escape, and when the user clicks something else. */
export function Menu({ label, isSet = false, children }: MenuProps) {
  const id = useId();
  return (
    <>
      <button type="button" class={isSet ? 'menu is-set' : 'menu'} popovertarget={id}>
        {label}
      </button>
      <div id={id} popover class="menu-body">
        {children}
      </div>
    </>
  );
}

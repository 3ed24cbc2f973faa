import { useLayoutEffect } from 'preact/hooks';

/**
 * Gives keys an action anywhere on the page, except while the user types, and behind a dialog or a menu. An action that returns
 * false leaves the key to the browser.
 */
export function useKeys(actions: Readonly<Record<string, (() => unknown) | undefined>>): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      const act = actions[key];
      const isTyped = target instanceof Element && target.matches('input, select, textarea');
      const isBehind = document.querySelector('.dialog:modal, :popover-open') !== null;
      if (!act || isTyped || isBehind || ctrlKey || metaKey || altKey || defaultPrevented) return;
      if (act() !== false) event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

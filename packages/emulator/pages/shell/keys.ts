import { useEffect, useRef } from 'preact/hooks';

/** Gives keys an action anywhere on the page, except while the user types, and behind a dialog or a menu. */
export function useKeys(actions: Readonly<Record<string, () => unknown>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      const act = latest.current[key];
      const isTyped = target instanceof Element && target.matches('input, select, textarea');
      const isBehind = document.querySelector('.dialog:modal, :popover-open') !== null;
      if (!act || isTyped || isBehind || ctrlKey || metaKey || altKey || defaultPrevented) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

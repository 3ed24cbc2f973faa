import { tried } from '@sluice/protocol/toolbox';

/** What a page stored under a name; null if there is nothing; undefined if the page may not read it. */
export function loadText(name: string): string | null | undefined {
  return tried(() => localStorage.getItem(name));
}

/** Stores a text if the page may do that, and if there is room. Otherwise it is lost with the page. */
export function saveText(name: string, text: string): void {
  tried(() => localStorage.setItem(name, text));
}

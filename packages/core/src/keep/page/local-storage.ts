/** What a page stored under a name; null if there is nothing; undefined if the page may not read it. */
export function loadText(name: string): string | null | undefined {
  try {
    return localStorage.getItem(name);
  } catch {
    return undefined;
  }
}

/** Stores a text if the page may do that, and if there is room. */
export function saveText(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
  } catch {
    // It is lost with the page.
  }
}

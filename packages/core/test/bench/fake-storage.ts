/** As much of localStorage as a page uses. */
export class FakeStorage {
  [name: string]: unknown;

  getItem(name: string): unknown {
    return Object.hasOwn(this, name) ? this[name] : null;
  }

  setItem(name: string, text: string): void {
    this[name] = text;
  }

  removeItem(name: string): void {
    delete this[name];
  }
}

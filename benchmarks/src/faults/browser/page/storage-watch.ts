/** Wraps IndexedDB and Web Locks: knows the open connections, and counts the pending requests. */
export class StorageWatch {
  readonly #connections = new Set<IDBDatabase>();
  /** Pending: requests for connections and locks, and transactions. */
  underWay = 0;

  constructor() {
    const { open } = IDBFactory.prototype;
    const { transaction } = IDBDatabase.prototype;
    const connections = this.#connections;
    const count = (target: EventTarget, ends: readonly string[]) => this.#count(target, ends);
    IDBFactory.prototype.open = function (...args) {
      const request = open.apply(this, args);
      count(request, ['success', 'error', 'blocked']);
      request.addEventListener('success', () => connections.add(request.result));
      return request;
    };
    IDBDatabase.prototype.transaction = function (...args) {
      const begun = transaction.apply(this, args);
      count(begun, ['complete', 'abort']);
      return begun;
    };
    this.#watchLocks();
  }

  /** Closes all connections, as a browser may do by itself. Their owners receive a `close` event, or nothing. */
  closeAll(isTold: boolean): void {
    for (const connection of this.#connections) {
      connection.close();
      if (isTold) connection.dispatchEvent(new Event('close'));
    }
    this.#connections.clear();
  }

  #count(target: EventTarget, ends: readonly string[]): void {
    const end = this.#begin();
    for (const name of ends) target.addEventListener(name, end);
  }

  #watchLocks(): void {
    const { request } = LockManager.prototype;
    const begin = () => this.#begin();
    LockManager.prototype.request = function (...args: unknown[]) {
      const end = begin();
      const [callback] = args.splice(-1) as [LockGrantedCallback<unknown>];
      const granted: LockGrantedCallback<unknown> = (lock) => {
        end();
        return callback(lock);
      };
      return Reflect.apply(request, this, [...args, granted]).finally(end);
    };
  }

  /** Counts one pending request. The returned function ends it, and may be called more than once. */
  #begin(): () => void {
    let isUnderWay = true;
    this.underWay += 1;
    return () => {
      if (isUnderWay) this.underWay -= 1;
      isUnderWay = false;
    };
  }
}

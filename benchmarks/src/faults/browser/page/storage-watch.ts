/** Stands before IndexedDB: knows its connections and what goes on in them. */
export class StorageWatch {
  readonly #connections = new Set<IDBDatabase>();
  /** Transactions that have not ended. */
  underWay = 0;

  constructor() {
    const { open } = IDBFactory.prototype;
    const { transaction } = IDBDatabase.prototype;
    const connections = this.#connections;
    const begin = (begun: IDBTransaction) => this.#begin(begun);
    IDBFactory.prototype.open = function (...args) {
      const request = open.apply(this, args);
      request.addEventListener('success', () => connections.add(request.result));
      return request;
    };
    IDBDatabase.prototype.transaction = function (...args) {
      return begin(transaction.apply(this, args));
    };
  }

  /** Closes all connections as a browser does of itself: whoever uses them is told afterwards, or not at all. */
  closeAll(isTold: boolean): void {
    for (const connection of this.#connections) {
      connection.close();
      if (isTold) connection.dispatchEvent(new Event('close'));
    }
    this.#connections.clear();
  }

  #begin(transaction: IDBTransaction): IDBTransaction {
    this.underWay += 1;
    const end = () => {
      this.underWay -= 1;
    };
    transaction.addEventListener('complete', end);
    transaction.addEventListener('abort', end);
    return transaction;
  }
}

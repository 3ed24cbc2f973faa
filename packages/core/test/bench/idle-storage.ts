let transactions = 0;

const { IDBDatabase: database } = globalThis as { readonly IDBDatabase?: typeof IDBDatabase };
if (database) {
  const { transaction } = database.prototype;
  database.prototype.transaction = function (...args) {
    const begun = transaction.apply(this, args);
    transactions += 1;
    for (const end of ['complete', 'abort'])
      begun.addEventListener(end, () => {
        transactions -= 1;
      });
    return begun;
  };
}

/** Resolves once IndexedDB does nothing. Messages of pages arrive meanwhile; no time passes on a clock of a test. */
export async function idleStorage(): Promise<void> {
  do await turns(20);
  while (transactions > 0);
}

/** Lets other tasks run. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>(nextTask);
}

function nextTask(resolve: () => void): void {
  if (typeof setImmediate === 'function') return void setImmediate(resolve);
  // A timer would wait for 4 ms.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = resolve;
  port2.postMessage(0);
}

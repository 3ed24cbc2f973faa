const { transaction } = IDBDatabase.prototype;
let transactions = 0;
IDBDatabase.prototype.transaction = function (...args) {
  const begun = transaction.apply(this, args);
  transactions += 1;
  for (const end of ['complete', 'abort'])
    begun.addEventListener(end, () => {
      transactions -= 1;
    });
  return begun;
};

/** Resolves once IndexedDB does nothing. Messages of pages arrive meanwhile; no time passes on a clock of a test. */
export async function idleStorage(): Promise<void> {
  do await turns(20);
  while (transactions > 0);
}

/** Lets other tasks run. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

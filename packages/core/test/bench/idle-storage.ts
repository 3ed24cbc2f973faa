const { transaction } = IDBDatabase.prototype;
const { open } = IDBFactory.prototype;
/** Transactions, databases that are being opened, and cryptography: that takes longer on a busy machine. */
const busy = new Set<object>();

for (const name of ['generateKey', 'sign'] as const) {
  const work = crypto.subtle[name] as (...given: never) => Promise<object>;
  Object.assign(crypto.subtle, {
    [name](...given: never): Promise<object> {
      const made = work.apply(crypto.subtle, given);
      const end = () => busy.delete(made);
      busy.add(made);
      made.then(end, end);
      return made;
    },
  });
}

IDBDatabase.prototype.transaction = function (...args) {
  return untilEnd(transaction.apply(this, args), 'complete', 'abort');
};

// One that waits for others to close theirs may wait for ever.
IDBFactory.prototype.open = function (...args) {
  return untilEnd(open.apply(this, args), 'success', 'error', 'blocked');
};

function untilEnd<Work extends EventTarget>(work: Work, ...ends: readonly string[]): Work {
  busy.add(work);
  for (const end of ends) work.addEventListener(end, () => busy.delete(work));
  return work;
}

/** Resolves once neither IndexedDB nor cryptography is at work. Messages of pages arrive meanwhile; no time passes on a clock of a test. */
export async function idleStorage(): Promise<void> {
  do await turns(20);
  while (busy.size > 0);
}

/** Lets other tasks run. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

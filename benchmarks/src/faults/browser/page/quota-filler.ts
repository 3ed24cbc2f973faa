/** The database that fills the quota. */
export const FILLER = 'filler';
/** If a record of this size does not fit, the quota is full. */
const SMALLEST_BYTES = 512;
/** Most bytes that one call of `getRandomValues` fills. */
const MOST_RANDOM_BYTES = 65_536;

/**
 * Fills the quota of the site with records in IndexedDB, which the journal shares. The first record is larger than the free
 * space, so that the browser checks how much is left. Rejects if storing fails for any other reason than the quota.
 */
export async function fillQuota(quotaBytes: number): Promise<void> {
  const db = await open();
  try {
    for (let bytes = quotaBytes; bytes >= SMALLEST_BYTES; ) {
      try {
        await store(db, randomBytes(bytes));
      } catch (error) {
        if ((error as Error | null)?.name !== 'QuotaExceededError') throw error;
        bytes = Math.floor(bytes / 2);
      }
    }
  } finally {
    // An open connection would block the deletion of the database.
    db.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(FILLER);
    request.onupgradeneeded = () => request.result.createObjectStore(FILLER, { autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function store(db: IDBDatabase, record: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(FILLER, 'readwrite');
    transaction.objectStore(FILLER).add(record);
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Random, because browsers compress stored zeros. */
function randomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (let from = 0; from < count; from += MOST_RANDOM_BYTES)
    crypto.getRandomValues(bytes.subarray(from, from + MOST_RANDOM_BYTES));
  return bytes;
}

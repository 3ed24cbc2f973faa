/** The name of the database that takes the room. */
export const FILLER = 'filler';
/** Less room than this is none. */
const SMALLEST_BYTES = 512;
/** What `getRandomValues` gives at once. */
const MOST_RANDOM_BYTES = 65_536;

/**
 * Stores as much as fits into the quota of the site, in IndexedDB, where the journal has its share of it. Begins with more than
 * that, so that the browser looks how much there is. Rejects where anything but the quota keeps it from storing more.
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
    // Else it could not be deleted.
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

/** Not zeros: browsers compress what they store. */
function randomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (let from = 0; from < count; from += MOST_RANDOM_BYTES)
    crypto.getRandomValues(bytes.subarray(from, from + MOST_RANDOM_BYTES));
  return bytes;
}

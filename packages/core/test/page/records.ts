import { vi } from 'vitest';

/** What the database of a page has, as a test reads and writes it. */
function open(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function use<Result>(
  name: string,
  mode: IDBTransactionMode,
  work: (objects: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const db = await open(name);
  const transaction = db.transaction('records', mode);
  const request = work(transaction.objectStore('records'));
  await new Promise((resolve) => transaction.addEventListener('complete', resolve));
  db.close();
  return request.result;
}

/** All keys that are arrays. */
export async function keysOf(name: string): Promise<readonly (readonly unknown[])[]> {
  const keys = await use(name, 'readonly', (objects) => objects.getAllKeys());
  return keys.filter((key) => Array.isArray(key));
}

export function valueAt(name: string, key: IDBValidKey): Promise<unknown> {
  return use(name, 'readonly', (objects) => objects.get(key));
}

export async function write(name: string, key: IDBValidKey, value: unknown = 0): Promise<void> {
  await use(name, 'readwrite', (objects) => objects.put(value, key));
}

/** No room: what puts such a record fails as a whole. Deletions alone succeed, as in Chromium. */
export function full(isPut: (key: unknown, value: unknown) => boolean = (_, value) => Array.isArray(value)) {
  const { put } = IDBObjectStore.prototype;
  return vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
    this: IDBObjectStore,
    value,
    key,
  ) {
    if (!isPut(key, value)) return put.call(this, value, key);
    throw new DOMException('full', 'QuotaExceededError');
  });
}

// Not every browser gives each file of tests a storage of its own: none is to find what another one left, or to have it
// deleted under its hands.
function deleteDatabase(name: string): Promise<unknown> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = resolve;
    request.onerror = resolve;
    request.onblocked = resolve;
  });
}

const databases = await indexedDB.databases();
await Promise.all(databases.map(({ name }) => name && deleteDatabase(name)));

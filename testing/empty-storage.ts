// Not every browser gives each file of tests a storage of its own: none is to find what another one left.
for (const { name } of await indexedDB.databases()) if (name !== undefined) indexedDB.deleteDatabase(name);

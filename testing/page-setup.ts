// Runs before each file of tests in a browser.
import { installAllParts } from '../packages/core/test/bench/all-parts.ts';

// Some browsers share storage between test files. So this deletes all databases before each file: a test must not find the
// databases of another file, nor lose one while it uses it.
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

installAllParts();

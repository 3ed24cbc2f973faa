// Runs before each file of tests in a browser.
import { installAllParts } from '../packages/core/test/bench/all-parts.ts';

// Test files share a page, and in some browsers more. So this empties its storage before each file: a test must not find what
// another file left, nor lose a database while it uses it.
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
localStorage.clear();

installAllParts();

// Prints the gzipped bytes of a page with the engine for pages, and those of each module.
import { fileURLToPath } from 'node:url';
import { bundleForBrowser } from './browser-bundle.mjs';
import { breakdown, gzippedBytes } from './bundle-breakdown.mjs';

const folder = fileURLToPath(new URL('../../packages/core/', import.meta.url));
const bundle = await bundleForBrowser(
  folder,
  `import { createTracker } from './dist/page-engine/page-tracker.js';
globalThis.tracker = createTracker({ baseUrl: location.origin, correlationKey: 'email' });\n`,
);
console.log(gzippedBytes(bundle.code), bundle.code.length);
for (const { bytes, module } of breakdown(bundle)) console.log(bytes, module);

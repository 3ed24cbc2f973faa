import { availableParallelism } from 'node:os';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import type { BrowserInstanceOption } from 'vitest/node';
import { browserOnlyFiles, browserTests } from './scripts/browser-tests.mjs';
import { findChromium } from './scripts/chromium.mjs';
import { COPIED_EXAMPLES } from './scripts/copied-examples.mjs';
import { findFirefox, findWebKitGtk, servesBrowsers } from './scripts/engines.mjs';
import { ByProject } from './testing/by-project.ts';
import { webKitGtk } from './testing/mini-browser.ts';
import { PATIENCE } from './testing/patience.ts';

// Sibling packages resolve to their sources, so that a test never runs against an old build.
const source = '@sluice/source';
const mode = 'development|production';
// Without the condition 'module': it is for bundlers, and such modules need not run on Node.
const onNode = { conditions: [source, 'node', mode] };
const inBrowser = { conditions: [source, 'module', 'browser', mode] };

// No test fails because the machine is slow: only a hang reaches these limits.
const HANG_MS = 180_000;
const LONG_HANG_MS = 30 * 60_000;
const limits = (ms: number) => ({ testTimeout: ms, hookTimeout: ms, expect: { poll: PATIENCE } });

const executablePath = findChromium();
const firefox = findFirefox();
const webkit = findWebKitGtk();

// Files of a project share processes: a new process for each file would take as long as its tests.
const isolate = false;
// These files do not share: other SDKs, and Vega-Lite, change globals.
const apart = ['benchmarks/test/{browser/tables,comparison,readme-section,workload}.node.test.ts'];
const long = ['{packages/*,examples/*,benchmarks}/test/**/*.long.test.ts', 'scripts/test/*.long.test.ts'];
// `npm run check` tests examples with the packed packages. One of them is not installed here, and CI runs all of them only there.
const { SLUICE_EXAMPLES, SLUICE_LEAVES_EXAMPLES } = process.env;
const left = SLUICE_LEAVES_EXAMPLES === undefined ? ['next'] : COPIED_EXAMPLES;
const exclude = SLUICE_EXAMPLES === undefined ? left.map((name) => `examples/${name}/**`) : [];
const node: TestProjectConfiguration[] = [
  { name: 'apart', include: apart, ...limits(HANG_MS) },
  {
    name: 'node',
    isolate,
    include: ['{packages/*,examples/*,benchmarks}/test/**/*.test.ts', 'scripts/test/*.test.ts'],
    exclude: [...apart, '**/*.{browser,long}.test.ts', '**/node_modules/**'],
    ...limits(HANG_MS),
  },
  { name: 'long', isolate, include: long, exclude, ...limits(LONG_HANG_MS) },
].map((test) => ({ resolve: onNode, ssr: { resolve: onNode }, test }));

const instances: BrowserInstanceOption[] = [];
if (executablePath !== undefined) {
  const args = [
    ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
    ...['--disable-background-networking', '--disable-component-update'],
  ];
  const provider = playwright({ launchOptions: { executablePath, args, timeout: HANG_MS } });
  instances.push({ browser: 'chromium', name: 'chromium', provider });
}

// Firefox and WebKit, where they are installed, run the tests that are for browsers only.
const include = browserOnlyFiles();
if (firefox !== undefined) {
  // The published Firefox. Without the channel, Playwright expects its own build.
  const launchOptions = { executablePath: firefox, channel: 'moz-firefox', timeout: HANG_MS };
  instances.push({ browser: 'firefox', name: 'firefox', include, provider: playwright({ launchOptions }) });
}
if (webkit !== undefined) {
  instances.push({
    browser: 'webkit',
    name: 'webkit',
    include,
    headless: false,
    provider: webKitGtk(webkit),
  });
}

const browser: TestProjectConfiguration = {
  resolve: inBrowser,
  define: { 'process.env.FULL': JSON.stringify(process.env.FULL ?? '') }, // a page has no environment
  ssr: { resolve: onNode }, // the set-up below runs on Node
  test: {
    ...limits(HANG_MS),
    name: 'browser',
    ...browserTests,
    globalSetup: ['testing/emulator.ts', 'testing/browser-files.ts'],
    setupFiles: ['testing/page-setup.ts'], // one file: each is requested again for each file of tests
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      // Each browser runs one file after another. The browsers run in parallel with each other and with Node.
      fileParallelism: false,
      // All files share one page.
      isolate,
      instances,
    },
  },
};

export default defineConfig({
  test: {
    // scripts/test-tiers.mjs decides which projects run when.
    projects: servesBrowsers && instances.length > 0 ? [...node, browser] : node,
    // For the browsers. Vitest reads this option only here, not in a project.
    browser: { connectTimeout: HANG_MS },
    teardownTimeout: HANG_MS,
    // Trackers write to the console: their lines are shown only where a test fails.
    silent: 'passed-only',
    sequence: { sequencer: ByProject },
    // More than the number of processors, because many tests wait for a disk, a page or a process.
    maxWorkers: availableParallelism() + 1,
  },
});

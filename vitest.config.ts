import { playwright } from '@vitest/browser-playwright';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { browserTests } from './scripts/browser-tests.mjs';
import { findChromium } from './scripts/chromium.mjs';

// Sibling packages resolve to their sources, so that a test never runs against a stale build of one.
const source = '@sluice/source';
const mode = 'development|production';
// Without 'module': that is what bundlers ask for, and such modules need not run on Node.
const onNode = { conditions: [source, 'node', mode] };
const inBrowser = { conditions: [source, 'module', 'browser', mode] };

const executablePath = findChromium();

const node: TestProjectConfiguration = {
  resolve: onNode,
  ssr: { resolve: onNode },
  test: {
    name: 'node',
    environment: 'node',
    include: ['{packages,examples}/*/test/**/*.test.ts', '{benchmarks,scripts}/test/**/*.test.ts'],
    exclude: ['**/*.browser.test.ts', '**/node_modules/**'],
    testTimeout: 20_000,
  },
};

const browser: TestProjectConfiguration = {
  resolve: inBrowser,
  ssr: { resolve: onNode }, // the set-up below runs on Node
  test: {
    name: 'browser',
    ...browserTests,
    globalSetup: ['testing/emulator.ts', 'testing/browser-files.ts'],
    setupFiles: 'packages/core/test/all-parts.ts',
    testTimeout: 20_000,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      instances: [{ browser: 'chromium', name: 'chromium' }],
      provider: playwright({
        launchOptions: {
          ...(executablePath && { executablePath }),
          args: [
            '--no-sandbox',
            '--disable-gpu',
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
          ],
        },
      }),
    },
  },
};

export default defineConfig({
  test: { projects: executablePath ? [node, browser] : [node] },
});

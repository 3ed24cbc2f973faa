// Bundles an app with Metro, the bundler of React Native, and runs it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import Metro from 'metro';

const { resolve } = createRequire(import.meta.url);
const preset = resolve('@react-native/babel-preset');
/** Metro reads only files below the folders that it watches. This one has its own part of a bundle. */
const runtime = dirname(createRequire(resolve('metro')).resolve('metro-runtime/package.json'));
/** The rest of an app has Babel's helpers. */
const babel = { presets: [[preset, { enableBabelRuntime: false }]] };

const APP = `import { createTracker } from '@sluice/core/react-native';
globalThis.tracker = createTracker({ baseUrl: 'https://relay.example/', correlationKey: 'email', database: globalThis.database });
`;

/** What React Native has and Sluice needs. No window, no document, no IndexedDB. */
const DEVICE = {
  ...{ TextEncoder, TextDecoder, URL, AbortController, Request, Response, queueMicrotask },
  ...{ setTimeout, clearTimeout, console },
  crypto: {
    getRandomValues: (/** @type {Uint8Array<ArrayBuffer>} */ bytes) => crypto.getRandomValues(bytes),
  },
};

/**
 * @param {string} consumer a project in which the packages are installed
 * @returns {Promise<string>}
 */
export async function checkMetro(consumer) {
  const folder = join(consumer, 'app');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.js'), APP);
  writeFileSync(join(consumer, 'babel.config.json'), JSON.stringify(babel));
  const config = await Metro.loadConfig({ cwd: consumer });
  const code = await quietly(async () => {
    const extraNodeModules = { 'metro-runtime': runtime };
    const resolver = { ...config.resolver, extraNodeModules, unstable_conditionNames: ['react-native'] };
    const built = await Metro.runBuild(
      {
        ...config,
        projectRoot: consumer,
        watchFolders: [consumer, runtime],
        resolver,
        maxWorkers: 1,
        resetCache: true,
        reporter: { update() {} },
      },
      { entry: 'app/index.js', platform: 'ios', dev: false, minify: true },
    );
    return built.code;
  });
  /** @type {string[]} */
  const statements = [];
  const context = createContext({
    ...DEVICE,
    fetch: async () => new Response('', { status: 200 }),
    database: {
      execute: async (/** @type {string} */ sql) => {
        statements.push(sql);
        return { rows: [] };
      },
    },
  });
  context.global = context;
  runInContext(code, context);
  runInContext(`tracker.identify('ada@example.com'); tracker.track('opened', { from: 'an app' });`, context);
  await runInContext('tracker.durable()', context);
  const report = await runInContext('tracker.close()', context);
  if (report.delivered !== 1 || !statements.some((sql) => sql.startsWith('INSERT INTO sluice_parcels'))) {
    throw new Error(`the app did not store and deliver its event: ${JSON.stringify(report)}`);
  }
  return `an app with @sluice/core/react-native bundles (${Math.ceil(code.length / 1000)} kB) and delivers`;
}

/**
 * Metro writes to the console.
 * @template Result
 * @param {() => Promise<Result>} work
 */
async function quietly(work) {
  const { log, warn } = console;
  console.log = console.warn = () => {};
  try {
    return await work();
  } finally {
    Object.assign(console, { log, warn });
  }
}

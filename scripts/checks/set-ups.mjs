// The set-ups of users, each in an empty project into which plain npm installs the tarballs and what the project needs.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startEmulator } from '@sluice/emulator';
import { chromium } from 'playwright';
import { findChromium } from '../chromium.mjs';
import { COPIED_EXAMPLES } from '../copied-examples.mjs';
import { root } from '../workspace.mjs';
import { command, tool } from './command.mjs';

/** @typedef {readonly import('./tarball.mjs').Tarball[]} Tarballs */

const OURS = ['@sluice/core', '@sluice/protocol', '@sluice/react', '@sluice/relay'];
const INSTALL = ['install', '--no-audit', '--no-fund'];
const HANG_MS = 60_000;

/** The tests of a user: matchers, a tracker that records, and the contract of a journal. */
const TESTS = `
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal } from '@sluice/core/file-journal';
import { journalContract } from '@sluice/core/journal-contract';
import { recordingTracker, trackerMatchers } from '@sluice/core/testing';
import { systemClock } from '@sluice/protocol/toolbox';

expect.extend(trackerMatchers);
it('records what is tracked', () => {
  const tracker = recordingTracker();
  tracker.for('ada@example.com').track('purchase', { total: 42.5 });
  expect(tracker).toHaveTracked('purchase', expect.objectContaining({ total: 42.5 }));
});

const directory = mkdtempSync(join(tmpdir(), 'sluice-journal-'));
const create = (place) => new FileJournal({ directory: join(directory, place), fsync: 'never', clock: systemClock });
for (const { name, run } of journalContract({ create })) it(name, run);
afterAll(() => rmSync(directory, { recursive: true }));
`;

/** From docs/testing.md. */
const JEST = {
  'babel.config.js': `module.exports = {
    plugins: ['@babel/plugin-transform-modules-commonjs', 'babel-plugin-transform-import-meta'],
  };`,
  'jest.config.js': `module.exports = { transformIgnorePatterns: ['/node_modules/(?!(.*/)?(@sluice|p-queue|p-timeout)/)'] };`,
};

/**
 * @param {string} folder of a new project
 * @param {Tarballs} tarballs
 * @param {object} manifest
 * @param {readonly string[]} packages that it needs as well
 */
async function start(folder, tarballs, manifest, packages) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }));
  const files = tarballs.filter(({ name }) => OURS.includes(name)).map(({ file }) => file);
  await command('npm', [...INSTALL, ...files, ...packages], { cwd: folder });
}

/**
 * Runs the tests of the examples, with the packages as a user gets them.
 * @param {string} folder
 * @param {Tarballs} tarballs
 */
export async function checkExamples(folder, tarballs) {
  const filter = (/** @type {string} */ path) => !path.endsWith('node_modules');
  for (const name of COPIED_EXAMPLES)
    cpSync(join(root, 'examples', name), join(folder, name), { recursive: true, filter });
  await start(folder, tarballs, { type: 'module', workspaces: COPIED_EXAMPLES }, ['vitest@4']);
  const tests = COPIED_EXAMPLES.map((name) => `examples/${name}/test/`);
  await tool('vitest', ['run', '--project=node', '--project=long', ...tests], {
    env: { SLUICE_EXAMPLES: folder },
  });
  return COPIED_EXAMPLES.join(', ');
}

/** @param {string} folder of the examples */
export async function checkVitest(folder) {
  writeFileSync(join(folder, 'shop.test.js'), `import { afterAll, expect, it } from 'vitest';${TESTS}`);
  await command(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'shop.test.js'], { cwd: folder });
  return 'a recording tracker, matchers, the contract of a journal';
}

/**
 * @param {string} folder
 * @param {Tarballs} tarballs
 */
export async function checkJest(folder, tarballs) {
  await start(folder, tarballs, {}, [
    'jest@30',
    '@babel/plugin-transform-modules-commonjs@7',
    'babel-plugin-transform-import-meta@2',
  ]);
  for (const [name, source] of Object.entries({ ...JEST, 'shop.test.js': TESTS }))
    writeFileSync(join(folder, name), source);
  await command(process.execPath, ['node_modules/jest/bin/jest.js', '--ci', '--runInBand'], { cwd: folder });
  return 'the same, compiled by babel-jest';
}

/**
 * Opens a page with the script of docs/in-a-page.md, and counts what arrives.
 * @param {string} consumer a project in which the packages are installed
 */
export async function checkScriptTag(consumer) {
  const executablePath = findChromium();
  if (executablePath === undefined) return 'skipped: no Chromium';
  const core = join(consumer, 'node_modules', '@sluice', 'core');
  const recipe = readFileSync(join(core, 'docs', 'in-a-page.md'), 'utf8');
  const [, page] = /```html\n(.*?)```/s.exec(recipe) ?? [];
  if (page === undefined) throw new Error('docs/in-a-page.md has no page');
  const { 'sluice.global.js': hash } = JSON.parse(readFileSync(join(core, 'dist', 'integrity.json'), 'utf8'));
  const script = page
    .replace('sha384-…', hash)
    .replace(/https:\/\/cdn\S+/, '/sluice.global.js"')
    .replace("'https://relay.example.com'", 'location.origin');
  const emulator = await startEmulator({ primaryKey: 'email' });
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      const headers = { authorization: `Api-Key ${emulator.apiKey}`, 'content-type': 'application/json' };
      const body = await text(request);
      const answer = await fetch(emulator.baseUrl + request.url, { method: 'POST', headers, body });
      response.writeHead(answer.status).end(await answer.text());
    } else if (request.url === '/') {
      response.setHeader('content-type', 'text/html').end(script);
    } else {
      response.end(readFileSync(join(core, 'dist', 'sluice.global.js')));
    }
  });
  const port = await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(Object(server.address()).port));
  });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await (await browser.newPage()).goto(`http://127.0.0.1:${port}/`);
    const [first] = await emulator.waitForEvents(1, { timeoutMs: HANG_MS });
    if (first?.event.event !== 'page_view')
      throw new Error(`not the event of the page: ${JSON.stringify(first)}`);
  } finally {
    await browser.close();
    server.close();
    await emulator.close();
  }
  return 'the page of docs/in-a-page.md delivers';
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyNode, parse } from 'acorn';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { bundleBrowserFiles } from '../browser-files.mjs';
import { root } from '../workspace.mjs';

// Packages of which code runs in a page, and the entry points that are for Node only.
const PACKAGES = ['protocol', 'core', 'customers'];
const ON_NODE = ['./file-journal', './inspect', './undici-transport'];

/**
 * What is newer than the oldest browsers that docs/in-a-page.md names (Chrome 93, Firefox 92, Safari 16), by MDN's data. What
 * Sluice only uses if it is there is not in the list: Web Locks, `pageswap`, compression streams.
 */
const TOO_NEW = [
  ...['findLast', 'findLastIndex', 'toReversed', 'toSorted', 'toSpliced', 'fromAsync', 'groupBy'],
  ...['withResolvers', 'isWellFormed', 'toWellFormed', 'toBase64', 'fromBase64', 'toHex', 'fromHex'],
  ...['isSubsetOf', 'isSupersetOf', 'isDisjointFrom', 'symmetricDifference', 'getOrInsert', 'waitAsync'],
  ...['structuredClone', 'throwIfAborted', 'canParse', 'fetchLater', 'getAllRecords', 'randomUUID'],
];
/** These names also mean something old. They are too new only as a member of this object. */
const TOO_NEW_OF: Readonly<Record<string, readonly string[]>> = {
  AbortSignal: ['any', 'timeout', 'abort'],
  Iterator: ['from'],
  Promise: ['try'],
  Response: ['json'],
};
/** A package that needs newer browsers says so in its README. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  '@sluice/customers': ['throwIfAborted'],
  '@sluice/customers/concurrency': ['throwIfAborted'],
};

const bundles: Readonly<Record<string, () => Promise<string>>> = {
  'sluice.js': async () => (await bundleBrowserFiles('src')).module,
  'sluice.global.js': async () => (await bundleBrowserFiles('src')).script,
  ...Object.fromEntries(
    PACKAGES.flatMap((name) => entryPoints(name)).map(([name, input]) => [name, () => bundle(input)]),
  ),
};

test.each(Object.keys(bundles))(
  '%s has no syntax and no built-in that the oldest browsers lack',
  async (name) => {
    const code = (await bundles[name]?.()) ?? '';
    expect(code.length).toBeGreaterThan(50);
    expect(tooNew(code).filter((found) => !NEEDED[name]?.includes(found))).toEqual([]);
  },
);

test('finds what is too new', () => {
  const code =
    'AbortSignal.timeout(9); list.toSorted(); structuredClone({}); new (class { timeout() {} })().timeout();';
  expect(tooNew(code)).toEqual(['AbortSignal.timeout', 'toSorted', 'structuredClone']);
  expect(() => tooNew('using lock = take();')).toThrow(SyntaxError);
  expect(() => tooNew('/a/v')).toThrow(SyntaxError);
  // Safari has these since 16.4.
  expect(tooNew('class A { static { start(); } }; /(?<=a)b/')).toEqual(['a static block', 'a look-behind']);
});

/** The entry points of a package, by what a user imports. */
function entryPoints(name: string): [string, string][] {
  const folder = join(root, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries<Record<string, string>>(exports)
    .filter(([path]) => !ON_NODE.includes(path))
    .map(([path, target]) => [join('@sluice', name, path), join(folder, target['@sluice/source'] ?? '')]);
}

async function bundle(input: string): Promise<string> {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['@sluice/source', 'browser', 'import', 'default'] },
  });
  const { output } = await bundle.generate({ format: 'es' });
  await bundle.close();
  return output[0].code;
}

/** Throws a SyntaxError if the code needs more than ES2022. Returns the built-ins that it uses and the oldest browsers lack. */
function tooNew(code: string): string[] {
  const found: string[] = [];
  for (const node of nodesIn(parse(code, { ecmaVersion: 2022, sourceType: 'module' }))) {
    if (node.type === 'StaticBlock') found.push('a static block');
    if (node.type === 'Literal' && /\(\?<[=!]/.test(node.regex?.pattern ?? '')) found.push('a look-behind');
    if (node.type === 'Identifier' && TOO_NEW.includes(node.name)) found.push(node.name);
    if (node.type !== 'MemberExpression' || node.computed) continue;
    const { object, property } = node;
    if (object.type !== 'Identifier' || property.type !== 'Identifier') continue;
    if (TOO_NEW_OF[object.name]?.includes(property.name)) found.push(`${object.name}.${property.name}`);
  }
  return found;
}

function* nodesIn(value: unknown): Generator<AnyNode> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield value as AnyNode;
  for (const inner of Object.values(value)) yield* nodesIn(inner);
}

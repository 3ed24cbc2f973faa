import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveManifest, restoreManifest } from '../manifest.mjs';

const original = `{
  "name": "a",
  "dependencies": { "b": "workspace:^", "c": "catalog:", "d": "^4.0.0" }
}
`;
const rangeOf = (name: string) => (name === 'b' ? '^1.2.3' : '^5.6.7');
let directory = '';
const manifest = () => readFileSync(join(directory, 'package.json'), 'utf8');

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-manifest-'));
  writeFileSync(join(directory, 'package.json'), original);
});

afterEach(() => rmSync(directory, { recursive: true }));

test("replaces pnpm's ranges and leaves the others alone", () => {
  resolveManifest(directory, rangeOf);
  expect(JSON.parse(manifest())).toEqual({
    name: 'a',
    dependencies: { b: '^1.2.3', c: '^5.6.7', d: '^4.0.0' },
  });
});

test('restores the manifest byte for byte', () => {
  resolveManifest(directory, rangeOf);
  restoreManifest(directory);
  expect(manifest()).toBe(original);
  expect(readdirSync(join(directory, 'node_modules'))).toEqual([]);
});

test('starts from the original again after a pack that was broken off', () => {
  resolveManifest(directory, rangeOf);
  resolveManifest(directory, () => '^9.9.9');
  expect(JSON.parse(manifest()).dependencies.b).toBe('^9.9.9');
  restoreManifest(directory);
  expect(manifest()).toBe(original);
});

test('does not overwrite a manifest that was put back and edited by hand', () => {
  resolveManifest(directory, rangeOf);
  const edited = original.replace('"a"', '"edited"');
  writeFileSync(join(directory, 'package.json'), edited);
  restoreManifest(directory);
  expect(manifest()).toBe(edited);
});

test('leaves the manifest as it is when a range cannot be told', () => {
  const unknown = () => {
    throw new Error('no such package');
  };
  expect(() => resolveManifest(directory, unknown)).toThrow('no such package');
  expect(manifest()).toBe(original);
});

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carryDocuments, returnDocuments } from '../documents.mjs';
import { referencePage } from '../reference/page.mjs';
import { packageDirectories, root } from '../workspace.mjs';
import { brokenLinks } from './links.ts';

/** Has the documents of all packages, as `node_modules/@sluice` has after an installation. */
const scope = mkdtempSync(join(tmpdir(), 'sluice-documents-'));
const packages = packageDirectories().map((directory) => basename(directory));
const documentsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));

beforeAll(() => {
  for (const name of packages) {
    const [from, to] = [join(root, 'packages', name), join(scope, name)];
    mkdirSync(to);
    for (const file of readdirSync(from).filter((file) => file.endsWith('.md')))
      cpSync(join(from, file), join(to, file));
    carryDocuments(to);
  }
});

afterAll(() => rmSync(scope, { recursive: true }));

describe('a packed package', () => {
  it.each(packages)('of %s has all documents that its documents link to', (name) => {
    for (const file of documentsIn(join(scope, name)).filter((path) => !path.startsWith('node_modules')))
      expect({ file, broken: brokenLinks(join(scope, name, file)) }).toEqual({ file, broken: [] });
    expect(existsSync(join(scope, name, 'CHANGELOG.md'))).toBe(true);
  });

  it('has its documents as before, once it is packed', () => {
    const readme = () => readFileSync(join(scope, 'react', 'README.md'), 'utf8');
    expect(readme()).toContain('](../core/docs/testing.md)');
    returnDocuments(join(scope, 'react'));
    expect(readme()).toBe(readFileSync(join(root, 'packages/react/README.md'), 'utf8'));
    expect(existsSync(join(scope, 'react', 'CHANGELOG.md'))).toBe(false);
  });
});

it('the reference has each name that @sluice/core exports', () => {
  const source = ['index', 'entries/full']
    .map((name) => readFileSync(join(root, `packages/core/src/${name}.ts`), 'utf8'))
    .join('');
  const names = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '');
  const page = referencePage(join(root, 'packages/core'));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !page.includes(`\n### ${name}\n`))).toEqual([]);
});

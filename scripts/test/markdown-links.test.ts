import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../workspace.mjs';
import { brokenLinks } from './links.ts';

const documents = execFileSync('git', ['ls-files', '-z', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((name) => name !== '' && existsSync(join(root, name)));

it.each(documents)('each link of %s leads to a file, and to a heading in it', (name) => {
  expect(brokenLinks(join(root, name))).toEqual([]);
});

it('has a README of at most 150 lines', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

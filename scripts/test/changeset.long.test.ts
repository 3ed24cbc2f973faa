import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageDirectories, readManifest, root } from '../workspace.mjs';

const program = join(root, 'node_modules', '@changesets', 'cli', 'bin.js');

test('a change of one package gives all packages one new version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-changeset-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = packageDirectories().map((path) => join(relative(root, path), 'package.json'));
  for (const path of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', '.changeset', ...paths]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, '.changeset', 'a.md'), '---\n"@sluice/core": minor\n---\n\nA change\n');
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  execFileSync(process.execPath, [program, 'version'], { cwd: folder });
  const version = (of: string) => JSON.parse(readFileSync(join(of, 'package.json'), 'utf8')).version;
  const [major, minor] = readManifest(join(root, 'packages', 'core'))
    .version.split('.')
    .map(Number);
  expect(new Set(paths.map((path) => version(join(folder, dirname(path)))))).toEqual(
    new Set([`${major}.${Number(minor) + 1}.0`]),
  );
});

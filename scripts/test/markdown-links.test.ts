import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../workspace.mjs';

const documents = execFileSync('git', ['ls-files', '-z', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((name) => name !== '' && existsSync(join(root, name)));

/** The anchors that GitHub gives the headings of a document. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replace(/^```.*?^```/gms, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each(documents)('each link of %s leads to a file, and to a heading in it', (name) => {
  const path = join(root, name);
  const text = readFileSync(path, 'utf8').replace(/^```.*?^```/gms, '');
  const broken = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].filter(
    ([, file = '', anchor]) => {
      const target = file === '' ? path : join(dirname(path), file);
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    },
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A document without its code. */
function proseOf(path: string): string {
  return readFileSync(path, 'utf8').replace(/^```.*?^```/gms, '');
}

/** The anchors that GitHub gives the headings of a document. */
function anchorsOf(path: string): string[] {
  return [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The links of a document that lead to no file, or to no heading in it. */
export function brokenLinks(path: string): string[] {
  return [...proseOf(path).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    .filter(([, file = '', anchor]) => {
      const target = file === '' ? path : join(dirname(path), file);
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    })
    .map(([link]) => link);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declarationsOf, exportsOf } from './declarations.mjs';

/** What a part is inside concerns nobody who passes it on: these names are shown, and not what they consist of. */
const OPAQUE = /(Parts?|Tools)$|\/parts\/.* [a-z]\w*$/;
/** How an entry point begins that is for our own packages alone. */
const INTERNAL = '/** Internal: ';
const TAG = /^@(\w+) ?([\s\S]*?)(?=\n@\w|$(?![\s\S]))/gm;

/** The reference of a package: each exported name with its comment and its declaration. @param {string} directory of the package */
export function referencePage(directory) {
  const { exports, name } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  /** What was shown before, by its first declaration. @type {Map<unknown, string>} */
  const shown = new Map();
  let text = `# Reference of ${name}\n\nMade from the declarations by \`npm run reference\`. [What it is](README.md).\n`;
  for (const [path, entry] of Object.entries(exports)) {
    if (entry.types === undefined) continue;
    const specifier = join(name, path);
    const file = join(directory, entry.types);
    if (readFileSync(file, 'utf8').startsWith(INTERNAL)) continue;
    const names = exportsOf(file).map((exported) => /** @type {const} */ ([file, exported]));
    const used = names
      .flatMap(([from, own]) => typesIn(from, own))
      .filter(([from]) => from.startsWith(directory));
    /** @type {Record<string, string[]>} */
    const elsewhere = {};
    let sections = '';
    for (const [from, own] of [...names, ...used]) {
      const declarations = declarationsOf(from, own);
      const before = shown.get(declarations[0]);
      if (before === undefined && declarations.length > 0) {
        shown.set(declarations[0], specifier);
        sections += section(own, declarations);
      } else if (from === file && before !== undefined && before !== specifier) {
        elsewhere[before] = [...(elsewhere[before] ?? []), `\`${own}\``];
      }
    }
    const others = Object.entries(elsewhere).map(
      ([before, own]) => `\nAs in ${before}: ${own.join(', ')}.\n`,
    );
    text += `\n## ${specifier}\n${others.join('')}${sections}`;
  }
  return text;
}

/** @param {string} name @param {import('./declarations.mjs').Declaration[]} declarations */
function section(name, declarations) {
  const comments = declarations.map(({ comment }) => explained(comment)).join('');
  return `\n### ${name}\n\n${comments}\`\`\`ts\n${declarations.map(({ code }) => code).join('\n')}\n\`\`\`\n`;
}

/** A comment with its tags, as Markdown. @param {string} comment */
function explained(comment) {
  const [about = ''] = comment.split(/^@/m, 1);
  let text = about.trim() && `${about.trim()}\n\n`;
  for (const [, tag, value = ''] of comment.matchAll(TAG)) {
    const [, name, rest = ''] = /^(\S+) ?([\s\S]*)$/.exec(value) ?? [];
    if (tag === 'example') text += `\`\`\`ts\n${value.trim()}\n\`\`\`\n\n`;
    else if (tag === 'param') text += `\`${name}\`: ${rest.trim()}\n\n`;
    else text += `${tag === 'throws' ? 'Throws' : tag}: ${value.trim()}\n\n`;
  }
  return text;
}

/** The types that a declaration names and that no entry point exports, with those that they name. @param {string} file @param {string} name @param {Set<string>} seen @returns {(readonly [string, string])[]} */
function typesIn(file, name, seen = new Set()) {
  const declarations = declarationsOf(file, name).filter((own) => !OPAQUE.test(`${own.file} ${name}`));
  return declarations.flatMap((declaration) =>
    [...new Set(declaration.code.replace(/\/\*[\s\S]*?\*\//g, '').match(/\b[A-Z]\w+\b/g))].flatMap((word) => {
      const [found] = declarationsOf(declaration.file, word);
      if (found === undefined || seen.has(`${found.file} ${word}`)) return [];
      seen.add(`${found.file} ${word}`);
      return [/** @type {const} */ ([declaration.file, word]), ...typesIn(declaration.file, word, seen)];
    }),
  );
}

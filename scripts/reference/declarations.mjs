// Reads the declarations that tsc writes. They have one form: a top-level declaration begins in the first column, and ends with a
// line that is `}`, or that is not indented and ends with a semicolon. So this needs no compiler. (typedoc needs TypeScript 6 beside 7.)
import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { root } from '../workspace.mjs';

/**
 * A declaration. `comment` is its JSDoc, without the stars; `code` has the comments of its members.
 * @typedef {{ file: string, name: string, comment: string, code: string }} Declaration
 * What a file declares, and what it takes from where: `names` maps a name to a file and the name there.
 * @typedef {{ path: string, declarations: Declaration[], names: Map<string, [file: string, name: string]>, exported: Set<string>, stars: string[] }} Module
 */

const STATEMENT =
  /^(?:\/\*\*[\s\S]*?\*\/\n)?(?:\S.*;|\S.*(?:\n(?! ?[^\s*].*;$|}$).*)*\n(?: ?[^\s*].*;|}))$/gm;
const LIST = /^(import|export) (?:type )?{([^}]*)} from '([^']+)';$/;
const NAMED = /^(export )?(?:declare )?(?:abstract )?(?:function|const|class|interface|type) (\w+)/;

/** @type {Map<string, Module>} */
const modules = new Map();

/** @param {string} path of a .d.ts file @returns {Module} */
function readModule(path) {
  const known = modules.get(path);
  if (known) return known;
  /** @type {Module} */
  const module = { path, declarations: [], names: new Map(), exported: new Set(), stars: [] };
  modules.set(path, module);
  for (const [statement] of readFileSync(path, 'utf8').matchAll(STATEMENT)) {
    const [, comment = ''] = /^(\/\*\*[\s\S]*?\*\/\n)/.exec(statement) ?? [];
    const code = statement.slice(comment.length);
    const [, verb, list = '', from = ''] = LIST.exec(code) ?? [];
    const [, star] = /^export \* from '([^']+)';$/.exec(code) ?? [];
    const [, isExported, name] = NAMED.exec(code) ?? [];
    if (star) module.stars.push(fileOf(path, star));
    for (const item of list.split(',').filter((text) => text.trim() !== '')) {
      const [there = '', here = there] = item
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      const file = fileOf(path, from);
      if (file) module.names.set(here, [file, there]);
      if (verb === 'export') module.exported.add(here);
    }
    if (name === undefined) continue;
    if (isExported) module.exported.add(name);
    module.declarations.push({ file: path, name, comment: withoutStars(comment), code: tidy(code) });
  }
  return module;
}

/** The names that a file exports, in order. @param {string} path @returns {string[]} */
export function exportsOf(path) {
  const { exported, stars } = readModule(path);
  return [...new Set([...exported, ...stars.filter(Boolean).flatMap(exportsOf)])];
}

/** The declarations of a name, several for a function with overloads. @param {string} path @param {string} name @returns {Declaration[]} */
export function declarationsOf(path, name) {
  const { declarations, names, stars } = readModule(path);
  const own = declarations.filter((declaration) => declaration.name === name);
  if (own.length > 0) return own;
  const [file, there] = names.get(name) ?? [];
  if (file && there) return declarationsOf(file, there);
  return stars
    .filter((star) => star && exportsOf(star).includes(name))
    .flatMap((star) => declarationsOf(star, name));
}

/** The file of an import; empty for a package that is not ours. @param {string} path @param {string} specifier */
function fileOf(path, specifier) {
  if (specifier.startsWith('.')) return join(dirname(path), specifier.replace(/\.ts$/, '.d.ts'));
  const [, name, entry = ''] = /^@sluice\/(\w+)(\/.*)?$/.exec(specifier) ?? [];
  if (name === undefined && !specifier.startsWith('#')) return '';
  const [own = ''] = path.split(`${sep}dist${sep}`);
  const directory = name === undefined ? own : join(root, 'packages', name);
  const { exports, imports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return join(directory, (name === undefined ? imports[specifier] : exports[`.${entry}`]).types);
}

/** @param {string} comment */
function withoutStars(comment) {
  return comment.replace(/^\s*\/\*\* ?|^ \* ?|\s*\*\/\n$/gm, '').trim();
}

/** @param {string} code */
function tidy(code) {
  return code
    .replace(/^ +(?:#|private ).*\n/gm, '')
    .replace(/^export |declare /g, '')
    .replace(/^ {4,}/gm, (space) => space.slice(space.length / 2));
}

// Checks the folders of the packages. In core each stage has its own folder (a "room"), and imports point in one direction only.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { packageDirectories, root } from '../workspace.mjs';

const SRC = join(root, 'packages', 'core', 'src');
/** The rooms in order. A file imports only from its own room and from earlier ones. */
const ROOMS = [
  ...[
    'base',
    'tell',
    'accept',
    'pace',
    'keep',
    'wait',
    'send',
    'parts',
    'options',
    'platform',
    'road',
    'page',
  ],
  'entries',
];
/** The rooms of files that lie directly in src. All others there belong to `road`. */
const ROOM_OF = { parts: 'parts', index: 'entries' };
/** What the `imports` of core's package.json name; pages have other files there. */
const SEAMS = {
  '#engine': 'tracker.ts',
  '#parts': 'parts/engine-parts.ts',
  '#platform': 'platform/platform.ts',
};
const MOST_FILES = 12;
const MOST_LINES = 300;
const NAME = /^export (?:abstract |async )*(?:class|function\*?|const|interface|type) /gm;
const IMPORT = /(?:\bfrom |\bimport\(|^import )'([^']+)'/gm;

/** @param {string} path below src */
function roomOf(path) {
  const [first = '', ...rest] = path.split('/');
  if (rest.length > 0) return first;
  return /** @type {Record<string, string>} */ (ROOM_OF)[first.replace('.ts', '')] ?? 'road';
}

/** The files that a file imports, as paths below src. @param {string} path @param {string} text */
function* importsOf(path, text) {
  for (const [, specifier = ''] of text.matchAll(IMPORT)) {
    if (specifier in SEAMS) yield SEAMS[/** @type {keyof typeof SEAMS} */ (specifier)];
    if (specifier.startsWith('.')) yield join(dirname(path), specifier).replaceAll(sep, '/');
  }
}

/** Files in a folder and below, as paths from there. @param {string} folder */
function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

/** Files that are too long, and folders with too many. */
function* crowded() {
  for (const directory of packageDirectories())
    for (const folder of [join(directory, 'src'), join(directory, 'pages')]) {
      /** @type {Record<string, number>} */
      const counts = {};
      for (const path of filesIn(folder)) {
        const name = relative(root, join(folder, path));
        const length = readFileSync(join(folder, path), 'utf8').split('\n').length - 1;
        if (length > MOST_LINES) yield `${name} has ${length} lines, more than ${MOST_LINES}`;
        counts[dirname(name)] = (counts[dirname(name)] ?? 0) + 1;
      }
      for (const [name, count] of Object.entries(counts))
        if (count > MOST_FILES) yield `${name} has ${count} files, more than ${MOST_FILES}`;
    }
}

/** Throws if a file is too long, or a folder has too many files; in core also if a file is in no room or imports from a later one. */
export function checkHouse() {
  const paths = filesIn(SRC);
  const problems = [...crowded()];
  let names = 0;
  /** @type {number[]} */
  const lengths = [];
  for (const path of paths) {
    const text = readFileSync(join(SRC, path), 'utf8');
    const length = text.split('\n').length - 1;
    lengths.push(length);
    names += text.match(NAME)?.length ?? 0;
    const room = roomOf(path);
    if (!ROOMS.includes(room)) problems.push(`${path} is in no room: ${ROOMS.join(', ')}`);
    for (const target of importsOf(path, text))
      if (ROOMS.indexOf(roomOf(target)) > ROOMS.indexOf(room))
        problems.push(`${path} imports ${target}: "${room}" comes before "${roomOf(target)}"`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const lines = lengths.reduce((sum, length) => sum + length, 0);
  const median = lengths.sort((one, other) => one - other)[Math.floor(lengths.length / 2)];
  return [
    `${paths.length} files in ${new Set(paths.map((path) => dirname(path))).size} folders, no import against the order of rooms`,
    `${lines} lines, in the median ${median} a file; ${names} exported names`,
  ].join('; ');
}

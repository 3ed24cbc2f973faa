import { SourceMap } from 'node:module';
import { gzipSync } from 'node:zlib';

/** @param {string} code */
export function gzippedBytes(code) {
  return gzipSync(code, { level: 9 }).length;
}

/**
 * Returns what each module adds to a minified bundle: by how many bytes the gzipped bundle shrinks without the module's part.
 * Text that modules have in common is in no row, so the rows add up to a little less than the whole.
 * @param {{ code: string, map: string }} bundle
 * @returns {{ module: string, bytes: number }[]} the largest first
 */
export function breakdown({ code, map }) {
  const whole = gzippedBytes(code);
  const pieces = attribute(code, new SourceMap(JSON.parse(map)));
  const modules = [...new Set(pieces.map(({ module }) => module))];
  const rows = modules.map((module) => {
    const others = pieces.filter((piece) => piece.module !== module).map(({ text }) => text);
    return { module, bytes: whole - gzippedBytes(others.join('')) };
  });
  return rows.sort((one, other) => other.bytes - one.bytes);
}

/**
 * @param {string} code
 * @param {SourceMap} map
 * @returns {{ module: string, text: string }[]}
 */
function attribute(code, map) {
  /** @type {{ module: string, text: string }[]} */
  const pieces = [];
  for (const [row, line] of code.split('\n').entries()) {
    for (let column = 0; column < line.length; column += 1) {
      const entry = map.findEntry(row, column);
      const module = nameOf('originalSource' in entry ? entry.originalSource : undefined);
      const last = pieces.at(-1);
      if (last?.module === module) last.text += line[column];
      else pieces.push({ module, text: line[column] ?? '' });
    }
  }
  return pieces;
}

/** @param {string | undefined} source */
function nameOf(source) {
  return source?.replace(/^.*(?:node_modules|packages)\//, '').replace('/dist/', '/') ?? 'the bundler';
}

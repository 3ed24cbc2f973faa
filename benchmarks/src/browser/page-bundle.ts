import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';

const PAGES = new URL('../../src/browser/pages/', import.meta.url);
const ENTRY = 'entry.js';

/** The scripts of a page: `entry.js` and the chunks that it loads. */
export interface PageBundle {
  /** The code of each script, by file name. */
  readonly scripts: ReadonlyMap<string, string>;
  /** Size of the scripts that the page loads at once, gzipped. Scripts that it may load later do not count. */
  readonly gzipBytes: number;
}

/** Bundles a file of `pages` with all its imports for production: minified, without unused code. */
export async function bundlePage(name: string): Promise<PageBundle> {
  const bundle = await rolldown({
    input: { entry: fileURLToPath(new URL(`${name}.ts`, PAGES)) },
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  const chunks = new Map(
    output.filter((file) => file.type === 'chunk').map((chunk) => [chunk.fileName, chunk]),
  );
  const gzipBytes = [...loadedAtOnce(chunks)].reduce(
    (sum, { code }) => sum + gzipSync(code, { level: 9 }).length,
    0,
  );
  return { scripts: new Map([...chunks].map(([file, { code }]) => [file, code])), gzipBytes };
}

function loadedAtOnce(chunks: ReadonlyMap<string, OutputChunk>): ReadonlySet<OutputChunk> {
  const found = new Set<OutputChunk>();
  const visit = (file: string) => {
    const chunk = chunks.get(file);
    if (chunk === undefined || found.has(chunk)) return;
    found.add(chunk);
    chunk.imports.forEach(visit);
  };
  visit(ENTRY);
  return found;
}

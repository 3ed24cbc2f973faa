import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const nodeOnly = /^node:|[\\/]node_modules[\\/]undici[\\/]|[\\/]platform[\\/]node\.js$/;

/**
 * Bundles a package as a browser gets it. Nothing may be left to import, and nothing of Node may be in it.
 * @param {string} folder of a project that has the package installed
 * @param {string} name of the package
 */
export async function checkBrowserBundle(folder, name) {
  const input = join(folder, `${name.replaceAll('/', '-')}.js`);
  writeFileSync(input, `export * from '${name}';\n`);
  /** @type {string[]} */
  const complaints = [];
  const bundle = await rolldown({
    input,
    platform: 'browser',
    onLog: (_level, { message }) => complaints.push(message),
  });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  for (const chunk of output) {
    if (chunk.type === 'chunk') {
      const files = output.map(({ fileName }) => fileName);
      complaints.push(
        ...chunk.imports.filter((file) => !files.includes(file)).map((id) => `imports ${id}`),
        ...chunk.moduleIds.filter((id) => nodeOnly.test(id)).map((id) => `contains ${id}`),
      );
    }
  }
  if (complaints.length > 0) {
    throw new Error(complaints.slice(0, 10).join('\n'));
  }
  const code = output.map((file) => (file.type === 'chunk' ? file.code : '')).join('');
  return `${(gzipSync(code, { level: 9 }).length / 1000).toFixed(1)} kB gzipped, nothing of Node`;
}

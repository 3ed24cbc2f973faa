import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const nodeOnly = /^node:|[\\/]node_modules[\\/]undici[\\/]|[\\/]platform[\\/]node\.js$/;

/**
 * Bundles code as for a page: minified, and without imports. Throws if the bundle has an import or contains code for Node only.
 * @param {string} folder of a project in which the packages are installed
 * @param {string} source what the page imports and calls
 * @returns {Promise<{ code: string, map: string }>}
 */
export async function bundleForBrowser(folder, source) {
  const input = join(folder, 'page.js');
  writeFileSync(input, source);
  /** @type {string[]} */
  const complaints = [];
  const bundle = await rolldown({
    input,
    platform: 'browser',
    onLog: (_level, { message }) => complaints.push(message),
  });
  const { output } = await bundle.generate({
    minify: true,
    comments: { annotation: false },
    sourcemap: 'hidden',
  });
  await bundle.close();
  const [chunk, ...others] = output;
  complaints.push(
    ...others.filter(({ type }) => type === 'chunk').map(({ fileName }) => `leaves ${fileName} to be loaded`),
    ...chunk.imports.map((id) => `imports ${id}`),
    ...chunk.moduleIds.filter((id) => nodeOnly.test(id)).map((id) => `contains ${id}`),
  );
  if (complaints.length > 0) {
    throw new Error(complaints.slice(0, 10).join('\n'));
  }
  return { code: chunk.code, map: chunk.map?.toString() ?? '' };
}

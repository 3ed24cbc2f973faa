// Builds Sluice for pages without a bundler: one file for `<script type="module">`, and one for `<script>`.
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './workspace.mjs';

/**
 * @param {'src' | 'dist'} folder of packages/core that is bundled
 * @returns {Promise<{ module: string, script: string }>}
 */
export async function bundleBrowserFiles(folder) {
  const extension = folder === 'src' ? 'ts' : 'js';
  const conditions = folder === 'src' ? ['@sluice/source'] : [];
  const [module, script] = await Promise.all(
    /** @type {const} */ ([
      ['full', 'es'],
      ['global', 'iife'],
    ]).map(async ([name, format]) => {
      const bundle = await rolldown({
        input: join(root, 'packages', 'core', folder, 'entries', `${name}.${extension}`),
        platform: 'browser',
        transform: { target: 'es2022' },
        resolve: { conditionNames: [...conditions, 'browser', 'import', 'default'] },
        onLog: (_level, { message }) => {
          throw new Error(message);
        },
      });
      const { output } = await bundle.generate({ format, minify: true, comments: { annotation: false } });
      await bundle.close();
      return output[0].code;
    }),
  );
  return { module: module ?? '', script: script ?? '' };
}

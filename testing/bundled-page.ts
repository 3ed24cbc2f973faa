import { rolldown } from 'rolldown';

/** Bundles the script of a page, with the sources of the packages. `mode`: as a bundler for development resolves them. */
export async function bundlePage(input: string, ...mode: readonly 'development'[]): Promise<string> {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['@sluice/source', ...mode, 'browser', 'import', 'default'] },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  return output[0].code;
}

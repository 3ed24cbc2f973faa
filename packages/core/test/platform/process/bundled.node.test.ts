import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const input = fileURLToPath(new URL('../../../src/platform/process/drain-in-background.ts', import.meta.url));

it('can be loaded in a bundle without an address of its own, as a CommonJS bundle of esbuild, and says that it drains nothing', async () => {
  // esbuild warns, and makes `import.meta` an empty object.
  const transform = { define: { 'import.meta.url': 'undefined' } };
  const bundle = await rolldown({ input, platform: 'node', transform });
  const { output } = await bundle.generate({ format: 'cjs' });
  const directory = await mkdtemp(join(tmpdir(), 'sluice-'));
  try {
    const path = join(directory, 'bundle.cjs');
    await writeFile(path, output[0].code);
    const { drainInBackground } = createRequire(import.meta.url)(path);
    const settings = {
      baseUrl: 'http://127.0.0.1:9',
      correlationKey: 'email',
      delivery: {},
      buffer: {},
      batch: {},
    };
    expect(drainInBackground(settings, directory)).toBe(false);
  } finally {
    await rm(directory, { recursive: true });
  }
});

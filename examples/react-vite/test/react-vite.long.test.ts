import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Example } from '../../../testing/example.ts';
import { expectVisitOf, hasChromium } from '../../../testing/shop-page.ts';

const ADDRESS = ['--host', '127.0.0.1', '--port', '0'];

describe.skipIf(!hasChromium)('a shop in React', () => {
  it('counts each view once and tells providers apart, as Vite serves it for development', async () => {
    const example = await Example.open('react-vite');
    const server = example.start([example.bin('vite', 'bin/vite.js'), ...ADDRESS]);
    await expectVisitOf(example, await server.url());
  });

  it('does the same as Vite builds it for production', async () => {
    const example = await Example.open('react-vite');
    const vite = example.bin('vite', 'bin/vite.js');
    const out = ['--outDir', join(example.home, 'dist')];
    expect(await example.start([vite, 'build', ...out]).end()).toBe(0);
    const server = example.start([vite, 'preview', ...ADDRESS, ...out]);
    await expectVisitOf(example, await server.url());
  });
});

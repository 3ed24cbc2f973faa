import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { TrackerOptions } from '../../src/index.ts';

const core = new URL('../../dist/index.js', import.meta.url).href;
const key = 'canary-key-77';

/** Runs a process that makes trackers. Returns the codes of its warnings, and all that it wrote. */
async function run(all: readonly Partial<TrackerOptions>[]): Promise<{ codes: unknown; text: string }> {
  const code = `
    const { createTracker } = await import(${JSON.stringify(core)});
    const codes = [];
    process.on('warning', ({ code }) => codes.push(code));
    for (const options of ${JSON.stringify(all)})
      createTracker({ apiKey: '${key}', correlationKey: 'email', journal: 'memory', ...options });
    setImmediate(() => console.log(JSON.stringify(codes)));`;
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  const { stdout, stderr } = await ended;
  return { codes: JSON.parse(stdout), text: stdout + stderr };
}

describe('a process whose API key others can read on its way', () => {
  it('is warned once, and is shown the address but not the key', async () => {
    const { codes, text } = await run([
      { baseUrl: 'http://service.example' },
      { baseUrl: 'http://10.0.0.7' },
    ]);
    expect(codes).toEqual(['SLUICE_PLAIN_HTTP']);
    expect(text).toContain('http://service.example');
    expect(text).not.toContain(key);
  });

  it.each([
    `http://service.example/${key}`,
    `http://${key}.example`,
    'http://service.example/a//127.0.0.1/',
    'http://localhost.service.example',
  ])('is warned wherever the address goes, and is not shown a key that is in it: %s', async (baseUrl) => {
    const { codes, text } = await run([{ baseUrl }]);
    expect(codes).toEqual(['SLUICE_PLAIN_HTTP']);
    expect(text).not.toContain(key);
  });

  it.each<Partial<TrackerOptions>>([
    { baseUrl: 'https://service.example' },
    { baseUrl: 'http://127.0.0.1:4100' },
    { baseUrl: 'http://localhost' },
    { baseUrl: 'http://[::1]:4100' },
    { baseUrl: 'http://service.example', delivery: { connect: { socketPath: '/run/relay' } } },
  ])('is not warned of what nobody can read: %j', async (options) => {
    expect(await run([options])).toMatchObject({ codes: [] });
  });
});

import { describe, expect, it } from 'vitest';
import { createTracker } from '../../src/index.ts';
import { bounds } from '../../src/page/parts/bounds.ts';
import { createWith, defaults } from '../../src/page/tracker.ts';

/** A tracker of a page with the part `bounds`. */
function createForPage(options: object) {
  const parts = Object.assign({}, defaults.parts, { bounds });
  return createWith(options as typeof given, { ...defaults, parts });
}

const given = { relay: 'http://site.test/s', correlationKey: 'email', journal: 'memory' } as const;

describe('the option `relay`', () => {
  it('is for pages', () => {
    expect(() => createTracker(given)).toThrow(
      'relay is for pages: here, give baseUrl and apiKey, or enabled: false while a server renders a page',
    );
  });

  it('may be undefined, as any other', async () => {
    const tracker = createForPage({ ...given, baseUrl: 'http://site.test', relay: undefined });
    await tracker.close({ timeoutMs: 0 });
  });

  it('leaves the key to the relay, and does not show it', () => {
    expect(() => createForPage({ ...given, apiKey: 'secret' })).toThrow(
      /^leave apiKey out: the relay has it$/,
    );
  });

  it('must be an address', () => {
    expect(() => createForPage({ ...given, relay: 'http://' })).toThrow(/^options cannot be used: .*URL/);
  });

  it('needs the part `bounds` for `storage`, as without a relay', async () => {
    const storage = { maxBytes: 100_000 };
    expect(() => createWith({ ...given, storage }, defaults)).toThrow('@sluice/core/bounds');
    await createForPage({ ...given, storage }).close({ timeoutMs: 0 });
  });

  it('does not matter to a tracker that is switched off', async () => {
    const tracker = createForPage({ ...given, relay: 'http://', enabled: false });
    tracker.track('page_view');
    expect((await tracker.close()).pending).toBe(0);
  });
});

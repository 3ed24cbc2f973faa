import { describe, expect, it } from 'vitest';
import { createTracker } from '../../src/index.ts';
import { relay } from '../../src/parts/relay/relay.ts';

const options = { relay: 'http://site.test/s', correlationKey: 'email', journal: 'memory' } as const;

describe('the option `relay`', () => {
  it('is for pages', () => {
    expect(() => createTracker(options)).toThrow(
      'relay is for pages: here, give baseUrl and apiKey, or enabled: false while a server renders a page',
    );
  });

  it('may be undefined, as any other', async () => {
    const { relay: _, ...others } = options;
    const tracker = createTracker({ ...others, baseUrl: 'http://site.test', relay: undefined } as never);
    await tracker.close({ timeoutMs: 0 });
  });

  it('leaves the key to the relay, and does not show it', () => {
    const given = { ...options, apiKey: 'secret', parts: { relay } } as never;
    expect(() => createTracker(given)).toThrow(/^leave apiKey out: the relay has it$/);
  });

  it('must be an address', () => {
    const given = { ...options, relay: 'http://', parts: { relay } };
    expect(() => createTracker(given)).toThrow(/^options cannot be used: .*URL/);
  });

  it('needs the part `bounds` for `storage`, as without a relay', async () => {
    const tracker = createTracker({ ...options, storage: { maxBytes: 100_000 }, parts: { relay } });
    await tracker.close({ timeoutMs: 0 });
  });

  it('does not matter to a tracker that is switched off', async () => {
    const tracker = createTracker({ ...options, relay: 'http://', enabled: false, parts: { relay } });
    tracker.track('page_view');
    expect((await tracker.close()).pending).toBe(0);
  });
});

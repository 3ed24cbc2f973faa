import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { createTracker, type Tracker, type TrackerOptions } from '../src/index.ts';
import { uuid } from '../src/uuid.ts';

type Core = typeof import('../src/index.ts');

const { baseUrl, apiUrl, apiKey } = inject('emulator');
const ada = { correlationValue: 'ada@example.com' };
const core = new URL('../src/index.ts', import.meta.url).href;

const frames: HTMLIFrameElement[] = [];
const trackers: Tracker[] = [];

afterEach(async () => {
  for (const frame of frames.splice(0)) frame.remove();
  for (const tracker of trackers.splice(0)) await tracker.close({ timeoutMs: 0 });
});

/** A page of its own in this one, with a tracker whose journal is that of the correlation key. */
async function openPage(correlationKey: string, options: Partial<TrackerOptions> = {}) {
  const frame = document.createElement('iframe');
  frame.src = '/__vitest_blank__';
  const isLoaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  frames.push(frame);
  await isLoaded;
  const view = frame.contentWindow as (Window & { core?: Promise<Core> }) | null;
  if (view === null) throw new Error('the frame has no window');
  const script = view.document.createElement('script');
  script.textContent = `window.core = import(${JSON.stringify(core)})`;
  view.document.body.append(script);
  const tracker = (await view.core)?.createTracker({ baseUrl, apiKey, correlationKey, ...options });
  if (tracker === undefined) throw new Error('the script did not run');
  await tracker.flush();
  return { view, tracker };
}

async function count(name: string): Promise<unknown> {
  const answer = await fetch(`${apiUrl}/emulator/counts?name=${name}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const { unique, received } = await answer.json();
  return { unique, received };
}

describe('a page that navigates in the task of its last calls', () => {
  it('has sent or stored all of them', async () => {
    const name = `left-${uuid()}`;
    const { view, tracker } = await openPage(name);
    const text = 'x'.repeat(100);
    for (let number = 0; number < 400; number += 1) tracker.track(name, { number, text }, ada);
    view.location.href = 'about:blank';
    await vi.waitFor(async () => expect(await count(name)).not.toMatchObject({ unique: 0 }));
    const next = createTracker({ baseUrl, apiKey, correlationKey: name });
    trackers.push(next);
    await vi.waitFor(async () => {
      await next.flush();
      expect(await count(name)).toMatchObject({ unique: 400 });
    });
  });
});

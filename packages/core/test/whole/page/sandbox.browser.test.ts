import { afterEach, expect, inject, it } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';

const { script } = inject('files');
let frame: HTMLIFrameElement;

afterEach(() => frame.remove());

/** Runs code in a frame without an origin, and returns what it says. */
function run(code: string): unknown[] {
  const said: unknown[] = [];
  frame = document.createElement('iframe');
  frame.sandbox.add('allow-scripts');
  addEventListener('message', ({ data, source }) => source === frame.contentWindow && said.push(data));
  const safe = (text: string) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  frame.srcdoc = `<!doctype html><title>frame</title><script>${safe(script)}</script><script>
    const say = (data) => parent.postMessage(data, '*');
    addEventListener('error', ({ message }) => say('error: ' + message));
    addEventListener('unhandledrejection', ({ reason }) => say('rejection: ' + reason));
    ${safe(code)}</script>`;
  document.body.append(frame);
  return said;
}

it('a page in a sandbox delivers what the service asked it to wait with', async () => {
  const said = run(`
    let requests = 0;
    globalThis.fetch = async () => {
      requests += 1;
      return requests === 1
        ? new Response('', { status: 503, headers: { 'retry-after': '1' } })
        : new Response('{}', { status: 200 });
    };
    const tracker = Sluice.createTracker({ baseUrl: 'https://service.test', correlationKey: 'email', logger: false });
    tracker.on('delivered', ({ count }) => say('delivered ' + count));
    tracker.on('paused', ({ reason }) => say('paused ' + reason));
    tracker.track('event', {}, { correlationValue: 'ada@example.com', priority: 'high' });
  `);
  await expect.poll(() => said, PATIENCE).toContain('delivered 1');
  expect(said).toEqual(['paused asked', 'delivered 1']);
});

it('a page in a sandbox throws nothing when it is hidden without a network', async () => {
  const said = run(`
    Object.defineProperty(navigator, 'onLine', { value: false });
    const tracker = Sluice.createTracker({ baseUrl: 'https://service.test', correlationKey: 'email', logger: false });
    dispatchEvent(new Event('pagehide'));
    setTimeout(() => say('over'), 100);
  `);
  await expect.poll(() => said, PATIENCE).toContain('over');
  expect(said).toEqual(['over']);
});

it('views in a sandbox are tracked for each new address', async () => {
  const said = run(`
    const views = [];
    Sluice.pageViews({ track: (name, { path }) => views.push(path) });
    location.hash = 'one';
    setTimeout(() => { location.hash = 'two'; setTimeout(() => say(views), 1500); }, 1500);
  `);
  await expect.poll(() => said.length, PATIENCE).toBeGreaterThan(0);
  expect(said).toEqual([['srcdoc', 'srcdoc#one', 'srcdoc#two']]);
});

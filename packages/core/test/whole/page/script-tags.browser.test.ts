import { afterEach, describe, expect, inject, it } from 'vitest';
import { uuid } from '../../../src/base/uuid.ts';
import type { Tracker } from '../../../src/index.ts';

const { module, script, stub } = inject('files');
const { baseUrl, apiUrl, apiKey } = inject('emulator');
const options = { baseUrl, apiKey, correlationKey: 'email', journal: 'memory' };

const frames: HTMLIFrameElement[] = [];
afterEach(() => {
  for (const frame of frames.splice(0)) frame.remove();
});

/** A page in a frame. Its elements run as they are added. */
class Page {
  readonly window: Window & Record<string, unknown>;
  readonly errors: unknown[] = [];

  constructor() {
    const frame = document.createElement('iframe');
    frames.push(frame);
    document.body.append(frame);
    this.window = frame.contentWindow as Window & Record<string, unknown>;
    this.window.addEventListener('error', (event) => {
      event.preventDefault();
      this.errors.push(event.error);
    });
  }

  /** Runs code as an inline `<script>` does. */
  run(code: string): void {
    const element = this.window.document.createElement('script');
    element.textContent = code;
    this.window.document.body.append(element);
  }

  /** Loads a file as `<script src>` does. */
  async load(code: string, type = 'text/javascript'): Promise<void> {
    const element = this.window.document.createElement('script');
    element.src = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    element.type = type;
    const loaded = new Promise((resolve) => element.addEventListener('load', resolve));
    this.window.document.body.append(element);
    await loaded;
  }

  get tracker(): Tracker {
    return this.window.tracker as Tracker;
  }
}

/** Code that makes a tracker in a page, and tracks twice. */
function use(name: string, given: object = options): string {
  return `
    window.tracker = Sluice.createTracker(${JSON.stringify(given)});
    tracker.on('delivered', ({ count }) => { window.delivered = count; });
    tracker.identify('ada@example.com');
    tracker.track('${name}', { number: 1 });
    tracker.track('${name}', { number: 2 }, { correlationValue: 'bob@example.com' });`;
}

interface Received {
  readonly timestamp: string;
  readonly correlationValue: string;
  readonly payload: { readonly number: number };
}

async function received(name: string): Promise<Received[]> {
  const answer = await fetch(`${apiUrl}/emulator/events/export?name=${name}`, {
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const lines = (await answer.text()).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).reverse(); // the export begins with the newest
}

describe('the file for <script>', () => {
  it('makes the package known as Sluice', async () => {
    const page = new Page();
    await page.load(script);
    const name = `script-${uuid()}`;
    page.run(use(name));
    expect(await page.tracker.flush()).toMatchObject({ delivered: 2, pending: 0 });
    expect(page.window.delivered).toBe(2);
  });

  it.each([
    ['without asking', ''],
    ['also where it asks for them', 'parts: Sluice'],
  ])('has the parts that a page without a bundler cannot import, %s', async (_, parts) => {
    const page = new Page();
    await page.load(script);
    page.run(`
      window.lines = [];
      const write = (data, message) => lines.push(message);
      const logger = { debug: write, info: write, warn: write, error: write };
      const options = { ...${JSON.stringify(options)}, logger, destination: {}, compress: true };
      window.tracker = Sluice.createTracker({ ...options, ${parts} });
      tracker.track('', {});
      window.letters = tracker.deadLetters;`);
    expect(page.errors).toEqual([]);
    expect(page.window.lines).toEqual(['sluice invalid']);
    expect(page.window.letters).toBeDefined();
  });

  it.each([
    ['a number', 'added', '1'],
    ['a function', 'added', '() => 1'],
    ['an API key', 'apiKey', '"of another account"'],
    ['a consent', 'consent', '"denied"'],
    ['a user', 'correlationValue', '"eve@example.com"'],
    ['a clock', 'clock', '{}'],
    ['a transport', 'transport', '() => 1'],
    ['a journal', 'journal', '{}'],
    ['a group of options', 'delivery', '5'],
    ['a size', 'maxEvents', '0'],
    ['a part', 'gzip', '5'],
  ])('loads and works where a page added %s to Object.prototype', async (_, added, value) => {
    const page = new Page();
    page.run(`Object.prototype.${added} = ${value};`);
    await page.load(script);
    const name = `polluted-${uuid()}`;
    page.run(use(name, { ...options, unidentified: { hold: true }, compress: true }));
    page.run('window.report = tracker.flush(); window.stats = tracker.stats();');
    expect(await page.window.report).toMatchObject({ delivered: 2, pending: 0 });
    expect(page.window.stats).toMatchObject({ accepted: 2, invalid: 0 });
    const values = (await received(name)).map(({ correlationValue }) => correlationValue);
    expect(values.sort()).toEqual(['ada@example.com', 'bob@example.com']);
    expect(page.errors).toEqual([]);
  });

  it('has the same exports as the module', async () => {
    const page = new Page();
    await page.load(script);
    const url = URL.createObjectURL(new Blob([module], { type: 'text/javascript' }));
    await page.load(
      `import * as all from ${JSON.stringify(url)}; window.names = Object.keys(all);`,
      'module',
    );
    expect(Object.keys(Object(page.window.Sluice)).sort()).toEqual(page.window.names);
  });

  it('checks each option by its name', async () => {
    const page = new Page();
    await page.load(script);
    page.run('Sluice.createTracker({ maxEvents: 5 })');
    expect(page.errors).toMatchObject([{ code: 'SLUICE_CONFIG', option: 'maxEvents' }]);
  });

  it('does what the stub took before, as of then, and its tracker is a real one', async () => {
    const page = new Page();
    page.run(stub);
    const name = `stub-${uuid()}`;
    page.run(use(name));
    const before = Date.now();
    while (Date.now() - before < 5);
    await page.load(script);
    page.run(`tracker.track('${name}', { number: 3 })`);
    expect(await page.tracker.flush()).toMatchObject({ delivered: 3, pending: 0 });
    expect(page.tracker.stats()).toMatchObject({ accepted: 3, invalid: 0 });
    const events = await received(name);
    expect(events.map(({ correlationValue, payload }) => [payload.number, correlationValue]).sort()).toEqual([
      [1, 'ada@example.com'],
      [2, 'bob@example.com'],
      [3, 'ada@example.com'],
    ]);
    for (const { payload, timestamp } of events) {
      expect(Date.parse(timestamp) <= before).toBe(payload.number < 3);
    }
    expect(page.errors).toEqual([]);
  });

  it('raises in the page what is wrong with one tracker of the stub, and makes the others', async () => {
    const page = new Page();
    page.run(stub);
    page.run(`Sluice.createTracker({}).track('lost'); ${use(`other-${uuid()}`)}`);
    await page.load(script);
    expect(await page.tracker.flush()).toMatchObject({ delivered: 2 });
    expect(page.errors).toMatchObject([{ code: 'SLUICE_CONFIG', option: 'baseUrl' }]);
  });

  it('goes on with what somebody kept of the stub, and changes nothing where it is loaded twice', async () => {
    const page = new Page();
    page.run(`${stub} window.kept = Sluice.createTracker;`);
    await page.load(script);
    page.run('window.first = Sluice');
    await page.load(script);
    expect(page.window.Sluice).toBe(page.window.first);
    page.run(use(`kept-${uuid()}`).replace('Sluice.createTracker', 'kept'));
    expect(await page.tracker.flush()).toMatchObject({ delivered: 2 });
  });
});

describe('the file for <script type="module">', () => {
  it('has the exports of the package', async () => {
    const page = new Page();
    const url = URL.createObjectURL(new Blob([module], { type: 'text/javascript' }));
    const name = `module-${uuid()}`;
    await page.load(`import * as Sluice from ${JSON.stringify(url)}; ${use(name)}`, 'module');
    expect(await page.tracker.flush()).toMatchObject({ delivered: 2, pending: 0 });
  });
});

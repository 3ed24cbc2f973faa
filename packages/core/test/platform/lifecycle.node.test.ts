import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { platform } from '../../src/platform/browser.ts';

/** The events of a page, and what its lifecycle says as it goes. */
class FakePage extends EventTarget {
  readonly navigation: EventTarget = new EventTarget();
  readonly told: { readonly isLeft: boolean; readonly isKept: boolean }[] = [];
  /** When it was told to write. */
  readonly writes: number[] = [];
  nowMs = 0;

  fire(type: string, fields: object = {}, target: EventTarget = this): void {
    target.dispatchEvent(Object.assign(new Event(type), fields));
  }

  navigate(url: string, fields: object = {}): void {
    const destination = { url, sameDocument: false, ...fields };
    this.fire('navigate', { downloadRequest: null, ...fields, destination }, this.navigation);
  }

  /** Whether the page keeps what it has, as it is left. */
  leave(): boolean | undefined {
    this.fire('pagehide');
    return this.told.pop()?.isKept;
  }
}

let page: FakePage;
let stop: () => void;

function listen(): void {
  stop = platform.lifecycle.listen({
    exit: () => {},
    go: () => void page.writes.push(page.nowMs),
    hide: (isLeft, isKept) => void page.told.push({ isLeft, isKept }),
    show: () => {},
    online: () => {},
    offline: () => {},
  });
}

beforeEach(() => {
  page = new FakePage();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('location', { origin: 'https://shop.example' });
  vi.stubGlobal('navigation', page.navigation);
  vi.stubGlobal('performance', { now: () => page.nowMs });
});

afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

describe('a page that is left, where the browser says where to', () => {
  beforeEach(() => {
    vi.stubGlobal('onpageswap', null);
    listen();
  });

  it.each([
    ['https://shop.example/next', true],
    ['https://shop.example.org/', false],
    [null, false],
  ])('keeps what it has for the next page of its origin: %s', (url, isKept) => {
    page.navigate('https://shop.example/intended');
    page.fire('pageswap', { activation: { entry: { url } } });
    expect(page.leave()).toBe(isKept);
  });

  it('does not know it where nothing is said', () => {
    page.fire('pageswap', { activation: null });
    expect(page.leave()).toBe(false);
  });

  it('forgets it once it is back', () => {
    page.fire('pageswap', { activation: { entry: { url: 'https://shop.example/next' } } });
    page.fire('pageshow');
    expect(page.leave()).toBe(false);
  });
});

describe('a page that is left, where the browser only says where the user meant to go', () => {
  beforeEach(listen);

  it('keeps what it has for a page of its origin', () => {
    page.navigate('https://shop.example/next');
    expect(page.leave()).toBe(true);
  });

  it('goes by the latest intention', () => {
    page.navigate('https://shop.example/next');
    page.navigate('https://other.example/');
    expect(page.leave()).toBe(false);
  });

  it.each([
    ['within the document', { sameDocument: true }],
    ['to a download', { downloadRequest: 'file.pdf' }],
  ])('takes no notice of a way %s', (_, fields) => {
    page.navigate('https://shop.example/next', fields);
    expect(page.leave()).toBe(false);
    page.navigate('https://shop.example/next');
    page.navigate('https://other.example/', fields);
    expect(page.leave()).toBe(true);
  });

  it('forgets an intention after 10 s', () => {
    page.navigate('https://shop.example/next');
    page.nowMs = 9_999;
    expect(page.leave()).toBe(true);
    page.nowMs = 10_000;
    expect(page.leave()).toBe(false);
  });
});

describe('a page whose user goes to another one', () => {
  it.each([
    ['', undefined],
    [', though the browser will say where to', null],
  ])('writes before it is left%s', (_, onpageswap) => {
    if (onpageswap === null) vi.stubGlobal('onpageswap', onpageswap);
    listen();
    page.navigate('https://other.example/');
    expect(page.writes).toHaveLength(1);
    page.navigate('https://shop.example/next', { sameDocument: true });
    page.navigate('https://shop.example/next', { downloadRequest: 'file.pdf' });
    expect(page.writes).toHaveLength(1);
  });
});

describe('a page in a browser that says nothing of where its user goes', () => {
  it("takes no notice of a router's event of that name", () => {
    vi.stubGlobal('navigation', undefined);
    listen();
    page.fire('navigate');
    page.fire('navigate', { destination: { url: 'https://shop.example/next' }, downloadRequest: null });
    expect(page.writes).toEqual([]);
    expect(page.leave()).toBe(false);
  });
});

describe('a page without a network', () => {
  it('keeps what it has as it is hidden or left', () => {
    listen();
    vi.stubGlobal('navigator', { onLine: false });
    expect(page.leave()).toBe(true);
    vi.stubGlobal('navigator', { onLine: true });
    expect(page.leave()).toBe(false);
  });
});

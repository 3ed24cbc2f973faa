import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { answered } from '../bench/scripted-transport.ts';

const [ada, bob, cy] = ['ada@example.com', 'bob@example.com', 'cy@example.com'];

let origin: FakeOrigin;
/** The customers of the events that the service accepted, by their number. */
let customers: Map<number, string>;

beforeEach(async () => {
  origin = new FakeOrigin();
  origin.customer = undefined;
  customers = new Map();
  origin.respond = (_, { body }) => {
    for (const { payload, correlationValue } of JSON.parse(new TextDecoder().decode(body)).batch)
      customers.set(payload.number, correlationValue);
    return answered(200);
  };
});

afterEach(async () => {
  vi.restoreAllMocks();
  await origin.close();
});

function open(): FakeTab {
  return origin.openTab({ batch: { maxWaitMs: 0 }, commitIntervalMs: 1 });
}

/** A page of ada, at rest. */
async function opened(): Promise<FakeTab> {
  const tab = open();
  tab.tracker.identify(ada);
  await origin.pass(50);
  return tab;
}

/** The note cannot be read, or not be written. */
function failing(method: 'get' | 'put') {
  const works = IDBObjectStore.prototype[method] as (...args: unknown[]) => IDBRequest;
  return vi.spyOn(IDBObjectStore.prototype, method).mockImplementation(function (
    this: IDBObjectStore,
    ...args: unknown[]
  ) {
    if (args.at(-1) === 'note') throw new DOMException('scripted', 'QuotaExceededError');
    return works.apply(this, args);
  } as never);
}

const fire = (tab: FakeTab, type: string) => tab.view.dispatchEvent(new Event(type));
const dropped = ({ tracker }: FakeTab) => tracker.stats().dropped.unidentified;

describe('what a page tracks before it knows its session', () => {
  it('is not given to the next customer', async () => {
    const first = await opened();
    fire(first, 'pagehide');
    fire(first, 'pageshow');
    // It may be hers: nobody has read yet who is the customer now.
    first.tracker.track('viewed', { number: 1 });
    first.tracker.identify(bob);
    await origin.pass(50);
    const second = open();
    second.tracker.track('viewed', { number: 2 });
    second.tracker.identify(cy);
    await origin.pass(50);
    expect([dropped(first), dropped(second), customers.size]).toEqual([1, 1, 0]);
  });

  it('is given to the same customer', async () => {
    await (await opened()).close();
    const tab = open();
    tab.tracker.track('viewed', { number: 1 });
    tab.tracker.identify(ada);
    await origin.pass(50);
    expect([...customers]).toEqual([[1, ada]]);
  });

  it('is given to the customer who is identified after reset(), if it was tracked after that', async () => {
    await (await opened()).close();
    const tab = open();
    tab.tracker.track('viewed', { number: 1 });
    tab.tracker.reset();
    tab.tracker.track('viewed', { number: 2 });
    tab.tracker.identify(bob);
    await origin.pass(50);
    expect([...customers]).toEqual([[2, bob]]);
    expect(dropped(tab)).toBe(1);
  });

  it('is given to nobody where there is no room to store who is the next customer', async () => {
    await (await opened()).close();
    const tab = open();
    tab.tracker.track('viewed', { number: 1 });
    failing('put');
    tab.tracker.identify(bob);
    await origin.pass(50);
    expect([dropped(tab), customers.size]).toEqual([1, 0]);
  });

  it('is given to nobody where storage failed at first to say who is the customer', async () => {
    await (await opened()).close();
    const reading = failing('get');
    const tab = open();
    tab.tracker.track('viewed', { number: 1 });
    await origin.pass(50);
    reading.mockRestore();
    tab.tracker.identify(bob);
    await origin.pass(50);
    expect([dropped(tab), customers.size]).toEqual([1, 0]);
  });

  it('is the next customer’s after a reset() that could be stored only later', async () => {
    const first = await opened();
    const writing = failing('put');
    first.tracker.reset();
    await origin.pass(50);
    writing.mockRestore();
    fire(first, 'pagehide');
    fire(first, 'pageshow');
    await origin.pass(50);
    await first.close();
    const second = open();
    second.tracker.track('viewed', { number: 1 });
    second.tracker.identify(bob);
    await origin.pass(50);
    expect([...customers]).toEqual([[1, bob]]);
  });
});

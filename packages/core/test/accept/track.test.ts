import { expect, it } from 'vitest';
import { pageViews } from '../../src/entries/page-views.ts';
import { type BigintEvents, createTracker, type Tracker } from '../../src/index.ts';

/** Never called: the compiler checks it, and `npm run check` runs the compiler. */
function compiles(tracker: Tracker, text: string, unknownValue: unknown): void {
  interface Purchase {
    readonly total: number;
    readonly tags?: readonly string[] | undefined;
    readonly at: Date;
  }
  const purchase: Purchase = { total: 42.5, at: new Date() };
  tracker.track('any');
  tracker.track('any', {});
  tracker.track('any', purchase);
  tracker.track('any', { text, items: [{ sku: 'A-1', more: null }], later: undefined, log: () => {} });
  tracker.track('any', { message: text, stack: text, length: 1 });
  tracker.track('any', { unknownValue } as Record<string, unknown>);
  tracker.track('any', Math.random() > 0.5 ? { n: 1 } : { text });
  tracker.for('ada@example.com').track('any', purchase);
  // @ts-expect-error an array has no names of fields
  tracker.track('any', [1]);
  // @ts-expect-error JSON keeps nothing of a Map
  tracker.track('any', new Map([['a', 1]]));
  // @ts-expect-error nor of a Set in it
  tracker.track('any', { seen: new Set([1]) });
  // @ts-expect-error nor of an Error
  tracker.track('any', new Error(text));
  // @ts-expect-error nor of one in it
  tracker.track('any', { list: [{ cause: new TypeError(text) }] });
  // @ts-expect-error a Date is one text
  tracker.track('any', new Date());
  // @ts-expect-error a function is left out
  tracker.track('any', () => {});
  // @ts-expect-error JSON has no bigint
  tracker.track('any', { deep: { total: 1n } });
  // @ts-expect-error a payload is an object
  tracker.track('any', text);
}

/** Never called. */
function compilesDeclared(): void {
  interface Events {
    readonly purchase: { readonly total: number };
    readonly signed_out: undefined;
    readonly page_view: { readonly path?: string };
  }
  const tracker = createTracker<Events>({ baseUrl: 'http://a.example', correlationKey: 'email' });
  pageViews(tracker);
  tracker.track('purchase', { total: 1 });
  tracker.track('signed_out');
  tracker.track('page_view');
  tracker.for('ada@example.com').track('purchase', { total: 1 });
  // @ts-expect-error the name is not declared
  tracker.track('purchse', { total: 1 });
  // @ts-expect-error the payload is required
  tracker.track('purchase');
  // @ts-expect-error the field is not declared
  tracker.track('purchase', { total: 1, sum: 2 });
  // @ts-expect-error the field has another type
  tracker.for('ada@example.com').track('purchase', { total: '1' });
}

/** Never called. */
function compilesSchemas(): void {
  interface Schema<Input> {
    readonly '~standard': {
      readonly version: 1;
      readonly vendor: string;
      readonly validate: (value: unknown) => { readonly value: unknown };
      readonly types?: { readonly input: Input; readonly output: { readonly total: number } };
    };
  }
  const purchase = {} as Schema<{ readonly total: string }>;
  const tracker = createTracker({
    baseUrl: 'http://a.example',
    correlationKey: 'email',
    events: { purchase },
  });
  tracker.track('purchase', { total: '1' });
  // @ts-expect-error the input of the schema is a text
  tracker.track('purchase', { total: 1 });
  // @ts-expect-error there is no schema of that name
  tracker.track('purchse', { total: '1' });
}

/** Never called. */
function compilesBigints(): void {
  const options = { baseUrl: 'http://a.example', correlationKey: 'email' };
  const tracker = createTracker({ ...options, bigint: 'string' });
  pageViews(tracker);
  tracker.track('any', { deep: { total: 1n, list: [1n] } });
  tracker.for('ada@example.com', { id: 1n }).track('any', { total: 1n });
  // @ts-expect-error JSON keeps nothing of a Map, with bigints or without
  tracker.track('any', { totals: new Map([['a', 1n]]) });
  // @ts-expect-error a payload is an object
  tracker.track('any', 1n);
  const plain: Tracker = tracker;
  // @ts-expect-error its type no longer says that bigints become text
  plain.track('any', { total: 1n });
  const declared = createTracker<{ purchase: { total: bigint } }>({ ...options, bigint: 'string' });
  declared.track('purchase', { total: 1n });
  const written: Tracker<BigintEvents> = createTracker({ ...options, bigint: 'string' });
  written.track('any', { total: 1n });
}

it('track() compiles with what JSON can hold, and with nothing else', () => {
  expect([compiles, compilesDeclared, compilesSchemas, compilesBigints]).toHaveLength(4);
});

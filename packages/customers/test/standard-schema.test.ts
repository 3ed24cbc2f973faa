import { describe, expect, it } from 'vitest';
import type { SchemaIssue, StandardSchema } from '../src/index.ts';
import { ADA, json, KEY, rejection, scripted } from './scripted-fetch.ts';

interface Person {
  readonly email: string;
  readonly born: Date;
}

/** A hand-made schema, in the same shape as those of libraries. */
function schema<T>(validate: StandardSchema<T>['~standard']['validate']): StandardSchema<T> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

function refusing(...issues: SchemaIssue[]): StandardSchema<never> {
  return schema(() => ({ issues }));
}

const born = new Date(0);

describe('a schema', () => {
  it('gives the read its type and its value', async () => {
    const { reader } = scripted([() => json(ADA)]);
    const person = await reader.read('a', {
      schema: schema<Person>((value) => ({ value: { ...(value as Person), born } })),
    });
    const email: string = person.email;
    expect(email).toBe('ada@example.com');
    expect(person.born).toBe(born);
  });

  it('may validate asynchronously', async () => {
    const { reader } = scripted([() => json(ADA)]);
    expect(await reader.read('a', { schema: schema(async () => ({ value: 7 })) })).toBe(7);
    const error = await rejection(
      reader.read('a', { schema: schema(async () => ({ issues: [{ message: 'no' }] })) }),
    );
    expect(error).toMatchObject({ code: 'SLUICE_INVALID_CUSTOMER' });
  });

  it('may be a function with the property, as in some libraries', async () => {
    const { reader } = scripted([() => json(ADA)]);
    const callable = Object.assign(
      () => 1,
      schema(() => ({ value: 'made' })),
    );
    expect(await reader.read('a', { schema: callable })).toBe('made');
  });

  it('that refuses the customer gives an error with all issues and their paths', async () => {
    const { reader, sent } = scripted([() => json(ADA)]);
    const error = await rejection(
      reader.read('ada@example.com', {
        schema: refusing(
          { message: 'must be a date', path: ['born'] },
          { message: 'is too short', path: [{ key: 'address' }, { key: 'lines' }, 0, Symbol('s')] },
          { message: 'is odd' },
          { message: 'is empty', path: [] },
        ),
      }),
    );
    expect(error).toMatchObject({
      name: 'InvalidCustomerError',
      code: 'SLUICE_INVALID_CUSTOMER',
      primaryKey: 'ada@example.com',
      message:
        'customer string "ada@example.com" does not fit the schema: born: must be a date; address.lines.0.Symbol(s): is too short; is odd; is empty',
      issues: [
        { path: 'born', message: 'must be a date' },
        { path: 'address.lines.0.Symbol(s)', message: 'is too short' },
        { path: '', message: 'is odd' },
        { path: '', message: 'is empty' },
      ],
    });
    expect(sent).toHaveLength(1);
  });

  it('that quotes the key in what it says shows none of it', async () => {
    const { reader } = scripted([() => json(ADA)]);
    const issue = { message: `got ${JSON.stringify(KEY)}`, path: ['keys', KEY] };
    const error = await rejection(reader.read(KEY, { schema: refusing(issue) }));
    expect(error).toMatchObject({
      primaryKey: '[key]',
      message: 'customer string "[key]" does not fit the schema: keys.[key]: got "[key]"',
      issues: [{ path: 'keys.[key]', message: 'got "[key]"' }],
    });
    expect((error as Error).stack).not.toContain('canary');
  });

  it('sees an object of its own, which it may change', async () => {
    const { reader } = scripted([() => json(ADA)]);
    const changing = schema((value) => ({ value: Object.assign(value as object, { changed: true }) }));
    const [, plain] = await Promise.all([reader.read('a', { schema: changing }), reader.read('a')]);
    expect(plain).toEqual(ADA);
  });

  it('that throws ends the read with what it threw', async () => {
    const { reader } = scripted([() => json(ADA)]);
    const bug = new TypeError('bug');
    const throwing = schema<never>(() => {
      throw bug;
    });
    expect(await rejection(reader.read('a', { schema: throwing }))).toBe(bug);
  });

  it('that is none is refused, and nothing is sent', async () => {
    const { reader, sent } = scripted([() => json(ADA)]);
    for (const none of [null, {}, { '~standard': {} }, () => true, 'schema']) {
      const error = await rejection(reader.read('a', { schema: none as never }));
      expect(error).toMatchObject({ code: 'SLUICE_CONFIG', option: 'schema' });
    }
    expect(sent).toHaveLength(0);
  });

  it('that never ends holds up no read: it rejects as soon as its signal aborts', async () => {
    const { reader } = scripted([() => json(ADA)]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const endless = schema(() => {
      queueMicrotask(() => controller.abort(reason));
      return new Promise<never>(() => {});
    });
    expect(await rejection(reader.read('a', { schema: endless, signal: controller.signal }))).toBe(reason);
  });

  it('that fails after its read was aborted disturbs nobody', async () => {
    const { reader } = scripted([() => json(ADA)]);
    const controller = new AbortController();
    let fail: (error: Error) => void = () => {};
    const slow = schema(() => {
      queueMicrotask(() => controller.abort());
      return new Promise<never>((_, reject) => {
        fail = reject;
      });
    });
    const error = await rejection(reader.read('a', { schema: slow, signal: controller.signal }));
    // An unhandled rejection would end the test run.
    fail(new Error('too late'));
    expect(error).toMatchObject({ name: 'AbortError' });
  });

  it.each([
    ['asynchronous', async () => ({ value: 1 })],
    ['synchronous', () => ({ value: 1 })],
  ])('that is %s does not outlive the signal', async (_, validate) => {
    const { reader } = scripted([() => json(ADA)]);
    const controller = new AbortController();
    const aborting = schema(() => {
      controller.abort();
      return validate();
    });
    const error = await rejection(reader.read('a', { schema: aborting, signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortError' });
  });
});

import { expect, it } from 'vitest';
import { Bench } from '../bench/bench.ts';

const ADA = { correlationValue: 'ada@example.com' };

it('redact reads nothing of a list or a file that is too large for an event', () => {
  const read: unknown[] = [];
  const list = new Proxy(new Array(1_000), {
    get: (target, name) => {
      read.push(name);
      return Reflect.get(target, name);
    },
  });
  /** As a Buffer of Node. */
  class File extends Uint8Array {
    toJSON() {
      return read.push('file');
    }
  }
  const { tracker } = new Bench({ redact: ['file.name'], maxEventBytes: 1_000 });
  for (const payload of [{ file: list }, { file: new File(1_000) }, new File(1_000)])
    tracker.track('upload', payload as object, ADA);
  expect(tracker.stats()).toMatchObject({ accepted: 0, invalid: 3 });
  expect([...new Set(read)].sort()).toEqual(['length', 'toJSON']);
});

it('redact hides values in a plain object that calls itself an Error', async () => {
  const bench = new Bench({ redact: ['email', 'user.email'] });
  const user = () => ({ email: 'ada@example.com', [Symbol.toStringTag]: 'Error' });
  const bare = Object.assign(Object.create(null), user());
  for (const payload of [user(), { user: user() }, { user: bare }])
    bench.tracker.track('purchase', payload as object, ADA);
  await bench.pass(5);
  const hidden = { email: '[redacted]' };
  expect(bench.transport.requests.flatMap(({ events }) => events)).toMatchObject([
    { payload: hidden },
    { payload: { user: hidden } },
    { payload: { user: hidden } },
  ]);
});

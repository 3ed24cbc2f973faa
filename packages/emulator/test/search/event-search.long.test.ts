import { describe, expect, it } from 'vitest';
import { few } from '../../../../testing/full.ts';
import { received, searchTyped, setUp } from './typed-searches.ts';

describe('a search', () => {
  it.each(few(1, [1, 2, 3]))('takes whatever is typed (seed %i)', (seed) => searchTyped(seed));

  it('of very large events, and of deep ones, ends', async () => {
    const { events, ids } = setUp();
    const deep = `${'['.repeat(50_000)}"bottom"${']'.repeat(50_000)}`;
    const large = JSON.stringify({ text: 'word '.repeat(2_000_000), last: 'unreached' });
    const body = (payload: string) => `{"event":"e","payload":{"a":${payload}}}`;
    events.add(
      events.stage([received({}, body(deep)), received({}, body(large)), received({}, body('"small"'))]),
      1,
    );
    expect(await ids({ text: 'bottom' })).toEqual([1]);
    expect(await ids({ text: 'word' })).toEqual([2]);
    expect(await ids({ text: 'unreached' })).toEqual([]);
    expect(await ids({ text: 'small' })).toEqual([3]);
  });
});

import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTracker, faultyTransport } from '../../../src/entries/testing/testing.ts';
import type { TrackerOptions } from '../../../src/index.ts';
import { FileJournal } from '../../../src/keep/file/file-journal.ts';
import { FailingFileSystem } from '../../bench/failing-file-system.ts';
import { Place } from '../../keep/file/place.ts';

const MAX_BYTES = 256 * 1024;
const EVENT = [{ text: 'x'.repeat(200) }, { correlationValue: 'ada@example.com' }] as const;

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

function track(count: number, options: Partial<TrackerOptions>, fs = new FailingFileSystem()) {
  const { directory } = place;
  const tracker = createTracker({
    ...{ baseUrl: 'http://service.example', correlationKey: 'email', logger: false },
    ...{ batch: { maxEvents: 5 }, delivery: { maxConcurrency: 2 } },
    storage: { maxBytes: MAX_BYTES, minFreeBytes: 0 },
    journal: new FileJournal({ directory, fsync: 'never', clock: systemClock, maxBytes: MAX_BYTES, fs }),
    ...options,
  });
  for (let event = 0; event < count; event += 1) tracker.track('left', ...EVENT);
  return tracker;
}

it.each([0, 100])(
  'what a full journal gives up while it is to be read is not damaged, also if %i removals fail',
  async (times) => {
    const left = track(520, { transport: faultyTransport(() => new Error('away')) });
    await left.close({ timeoutMs: 0 });
    const fs = new FailingFileSystem();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const transport = faultyTransport(() => answered.then(() => 200));
    const tracker = track(0, { transport }, fs);
    await expect.poll(() => transport.requests.length).toBe(2);
    fs.fail('remove', 'EPERM', { path: /\.segment$/, times });
    const remove = fs.hang('remove');
    await expect
      .poll(() => {
        for (let event = 0; event < 20; event += 1) tracker.track('new', ...EVENT);
        return fs.hanging;
      })
      .toBeGreaterThan(0);
    answer();
    await expect.poll(() => tracker.stats().delivered).toBeGreaterThanOrEqual(10);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    remove();
    fs.heal();
    await tracker.flush();
    const { accepted, delivered, dropped, pending, recovered } = tracker.stats();
    expect([dropped.damaged, pending]).toEqual([0, 0]);
    expect(accepted + recovered).toBe(delivered + dropped['journal-full']);
    await tracker.close();
  },
);

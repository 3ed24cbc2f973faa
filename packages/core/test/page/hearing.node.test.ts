import { expect, it, vi } from 'vitest';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { createParcels } from '../../src/page/keep/parcels.ts';
import { createSharing } from '../../src/page/sharing.ts';

it('a page looks once at what waits, however many messages say that parcels have ended', async () => {
  const clock = new VirtualClock();
  const settled = vi.fn();
  const parcels = createParcels({
    settings: {
      batch: { maxEvents: 1, maxBytes: 1_000, maxWaitMs: 0 },
      buffer: { maxEvents: 1_000, maxBytes: 1_000_000 },
    },
    ...{ clock, reporter: { settled }, order: undefined, ended: () => {} },
  } as Parameters<typeof createParcels>[0]);
  for (let number = 0; number < 100; number += 1)
    parcels.push('{}', clock.now(), { isHigh: false, session: '', customer: '' });
  const wake = vi.fn();
  const stages = { clock, parcels, sender: { wake } } as unknown as Parameters<typeof createSharing>[0];
  const sharing = createSharing(stages);
  for (const { id } of parcels.list()) sharing.hear(['ended', id, 'delivered']);
  await clock.advance(1);
  expect(settled).toHaveBeenCalledTimes(100);
  expect(parcels.all.size).toBe(0);
  expect(wake).toHaveBeenCalledOnce();
});

import { describe, expect, it } from 'vitest';
import { HalvingLimit } from '../../src/pace/halving-limit.ts';

describe('HalvingLimit', () => {
  it('is none until a body is refused, however many are accepted', () => {
    const limit = new HalvingLimit();
    limit.accepted();
    expect(limit.bytes).toBe(Number.POSITIVE_INFINITY);
    expect(limit.isTooLarge(Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  it('is half of the smallest that was refused', () => {
    const limit = new HalvingLimit();
    for (const bytes of [1_000, 601, 1_000]) limit.refused(bytes);
    expect(limit.bytes).toBe(301);
  });

  it('lets a half that is a little larger be sent', () => {
    const limit = new HalvingLimit();
    limit.refused(1_000);
    expect([500, 625, 626, 1_000].map((bytes) => limit.isTooLarge(bytes))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('grows again with each acceptance, also from the smallest', () => {
    const limit = new HalvingLimit();
    for (let count = 0; count < 100; count += 1) limit.refused(Math.min(2, limit.bytes));
    expect(limit.bytes).toBe(1);
    let accepted = 0;
    for (; limit.bytes < 512 * 1024; accepted += 1) limit.accepted();
    expect(accepted).toBeLessThan(700);
  });

  it('costs few refusals: with any limit of the service, at most one in twenty requests', () => {
    const most = 512 * 1024;
    for (const truth of [most / 1.01, most / 2, 100_000, 5_000, 300]) {
      const limit = new HalvingLimit();
      const counts = { accepted: 0, refused: 0 };
      const send = (bytes: number): void => {
        const isTaken = bytes <= truth;
        if (!limit.isTooLarge(bytes)) {
          counts[isTaken ? 'accepted' : 'refused'] += 1;
          if (isTaken) limit.accepted();
          else limit.refused(bytes);
          if (isTaken) return;
        }
        send(Math.ceil(bytes / 2));
        send(Math.floor(bytes / 2));
      };
      for (let bodies = 0; bodies < 2_000; bodies += 1) send(Math.min(most, limit.bytes));
      expect(counts.refused / (counts.refused + counts.accepted)).toBeLessThan(0.05);
    }
  });
});

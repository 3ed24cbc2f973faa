import { describe, expect, it } from 'vitest';
import { HalvingLimit } from '../../src/pace/halving-limit.ts';

describe('HalvingLimit', () => {
  it('is none until a body is refused, however many are accepted', () => {
    const limit = new HalvingLimit();
    limit.accepted();
    expect(limit.most).toBe(Number.POSITIVE_INFINITY);
  });

  it('is half of the smallest that was refused', () => {
    const limit = new HalvingLimit();
    for (const bytes of [1_000, 601, 1_000]) limit.refused(bytes);
    expect(limit.most).toBe(301);
  });

  it('grows again with each acceptance, also from the smallest', () => {
    const limit = new HalvingLimit();
    for (let count = 0; count < 100; count += 1) limit.refused(Math.min(2, limit.most));
    expect(limit.most).toBe(1);
    let accepted = 0;
    for (; limit.most < 512 * 1024; accepted += 1) limit.accepted();
    expect(accepted).toBeLessThan(700);
  });

  it('costs few refusals: with any limit of the service, at most one in twenty requests', () => {
    const most = 512 * 1024;
    for (const truth of [most / 1.01, most / 2, 100_000, 5_000, 300]) {
      const limit = new HalvingLimit();
      const counts = { accepted: 0, refused: 0 };
      const send = (bytes: number): void => {
        const isTaken = bytes <= truth;
        // A half that is a little larger than the limit is sent.
        if (bytes <= limit.most * 1.25) {
          counts[isTaken ? 'accepted' : 'refused'] += 1;
          if (isTaken) limit.accepted();
          else limit.refused(bytes);
          if (isTaken) return;
        }
        send(Math.ceil(bytes / 2));
        send(Math.floor(bytes / 2));
      };
      for (let bodies = 0; bodies < 2_000; bodies += 1) send(Math.min(most, limit.most));
      expect(counts.refused / (counts.refused + counts.accepted)).toBeLessThan(0.05);
    }
  });
});

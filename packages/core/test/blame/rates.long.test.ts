import { describe, expect, it } from 'vitest';
import { isFull } from '../../../../testing/full.ts';
import { PER_SECOND, shareOf } from './allowed.ts';
import { bucket, type Service } from './service.ts';

const MINUTE = 60;
const LONG = (isFull ? 120 : 20) * MINUTE;
const SHORT = (isFull ? 20 : 10) * MINUTE;

describe('a service that allows ten requests a second', () => {
  it('and asks for 60 s at each violation: 75 %', async () => {
    const isWithin = bucket(PER_SECOND);
    const service: Service = ({ at }) => (isWithin(at) ? 200 : { status: 429, retryAfter: '60' });
    const share = await shareOf('Retry-After 60', service, LONG, LONG * PER_SECOND);
    expect(share).toBeGreaterThanOrEqual(0.75);
  });

  it('and bans for 60 s, anew with each request meanwhile: 60 %', async () => {
    const isWithin = bucket(PER_SECOND);
    let bannedUntil = 0;
    const service: Service = ({ at }) => {
      if (at >= bannedUntil && isWithin(at)) return 200;
      bannedUntil = at + 60;
      return { status: 429, retryAfter: '60' };
    };
    const share = await shareOf('a ban that restarts', service, LONG, LONG * PER_SECOND);
    expect(share).toBeGreaterThanOrEqual(0.6);
  });

  it('and says nothing of a time: all of them', async () => {
    const isWithin = bucket(PER_SECOND);
    const service: Service = ({ at }) => (isWithin(at) ? 200 : 429);
    const share = await shareOf('token bucket', service, SHORT, SHORT * PER_SECOND);
    expect(share).toBeGreaterThanOrEqual(0.95);
  });

  it('in windows of a minute, and says when the next one begins: all of them', async () => {
    let window = -1;
    let count = 0;
    const service: Service = ({ at }) => {
      const current = Math.floor(at / MINUTE);
      count = current === window ? count + 1 : 1;
      window = current;
      if (count <= PER_SECOND * MINUTE) return 200;
      return { status: 429, retryAfter: String(Math.ceil((current + 1) * MINUTE - at)) };
    };
    const share = await shareOf('fixed window', service, SHORT, SHORT * PER_SECOND);
    expect(share).toBeGreaterThanOrEqual(0.95);
  });
});

import { jitsuAnalytics } from '@jitsu/js';
import type { Open } from './page-event.ts';

export const open: Open = (host) => {
  const jitsu = jitsuAnalytics({ host, writeKey: 'bench:key' });
  return ({ name, customer, payload }) => void jitsu.track(name, { ...payload, customer });
};

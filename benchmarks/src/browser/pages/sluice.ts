import { createTracker } from '@sluice/core';
import type { Open } from './page-event.ts';

export const open: Open = (baseUrl) => {
  const tracker = createTracker({ baseUrl, apiKey: 'bench-key', correlationKey: 'email' });
  return ({ name, customer, payload }) => tracker.track(name, payload, { correlationValue: customer });
};

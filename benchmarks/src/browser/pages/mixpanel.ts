import mixpanel from 'mixpanel-browser/src/loaders/loader-module-core';
import type { Open } from './page-event.ts';

export const open: Open = (serviceUrl) => {
  mixpanel.init('bench-key', {
    api_host: serviceUrl,
    api_payload_format: 'json',
    batch_requests: true,
    batch_size: 50,
    batch_flush_interval_ms: 1000,
    persistence: 'localStorage',
  });
  return ({ name, customer, payload }) => mixpanel.track(name, { ...payload, customer });
};

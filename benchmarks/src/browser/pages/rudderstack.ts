import { RudderAnalytics } from '@rudderstack/analytics-js/bundled';
import type { Open } from './page-event.ts';

const source = {
  ...{ id: 'bench', name: 'bench', writeKey: 'bench-key', workspaceId: 'bench', enabled: true },
  ...{ updatedAt: '2026-01-01T00:00:00.000Z', destinations: [] },
  config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
};

export const open: Open = (serviceUrl) => {
  const analytics = new RudderAnalytics();
  analytics.load('bench-key', serviceUrl, {
    getSourceConfig: () => ({ source, updatedAt: source.updatedAt }),
    plugins: ['StorageEncryption', 'XhrQueue'],
    queueOptions: {
      batch: { enabled: true, maxItems: 100, flushInterval: 1000 },
      minRetryDelay: 500,
      maxItems: 100_000,
    },
    loadIntegration: false,
    polyfillIfRequired: false,
  });
  return ({ name, customer, payload }) => analytics.track(name, { ...payload, customer });
};

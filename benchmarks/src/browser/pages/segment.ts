import { AnalyticsBrowser } from '@segment/analytics-next';
import type { Open } from './page-event.ts';

export const open: Open = (serviceUrl) => {
  const { host } = new URL(serviceUrl);
  const settings = { apiHost: `${host}/v1`, protocol: 'http' as const };
  const analytics = AnalyticsBrowser.load(
    { writeKey: 'bench-key', cdnSettings: { integrations: { 'Segment.io': { apiKey: 'bench-key' } } } },
    { integrations: { 'Segment.io': settings } },
  );
  return ({ name, customer, payload }) => void analytics.track(name, { ...payload, customer });
};

import { posthog } from 'posthog-js';
import type { Open } from './page-event.ts';

export const open: Open = (serviceUrl) => {
  posthog.init('bench-key', {
    api_host: serviceUrl,
    request_batching: true,
    request_queue_config: { flush_interval_ms: 1000 },
    rate_limiting: { events_per_second: 100_000, events_burst_limit: 1_000_000 },
    persistence: 'localStorage',
    // Otherwise PostHog takes a headless browser for a robot, and drops its events.
    opt_out_useragent_filter: true,
    autocapture: false,
    capture_pageview: false,
    disable_session_recording: true,
    disable_surveys: true,
    disable_external_dependency_loading: true,
    advanced_disable_flags: true,
  });
  return ({ name, customer, payload }) => posthog.capture(name, { ...payload, customer });
};

import type { BrowserSubject } from './browser-subject.ts';

export const emptyLoop: BrowserSubject = {
  name: 'an empty loop',
  page: 'empty-loop',
  configuration: 'the same calls, of a function that does nothing',
};

export const sluice: BrowserSubject = { name: 'Sluice', page: 'sluice', configuration: 'default options' };

const batching = 'batches of 100 or a second';

const snowplow: BrowserSubject = {
  name: 'Snowplow',
  page: 'snowplow',
  package: '@snowplow/browser-tracker',
  configuration:
    'bufferSize 100, maxPostBytes 60,000, maxLocalStorageQueueSize 100,000 (of 1,000); flushBuffer() when a page has loaded, without ' +
    'which it sends what it stored only once another event is tracked',
};

/** In the order of the tables. The SDK that takes longest to deliver its stored events comes first. */
export const PEERS: readonly BrowserSubject[] = [
  {
    name: 'Sentry, offline transport',
    page: 'sentry',
    package: '@sentry/browser',
    configuration:
      'makeBrowserOfflineTransport with bufferSize and maxQueueSize 100,000 (of 64 and 30) and flushAtStartup; an envelope for each ' +
      'event, ten in a second, as it is built; no integrations, breadcrumbs or client reports',
  },
  {
    name: 'PostHog',
    page: 'posthog',
    package: 'posthog-js',
    configuration:
      'request_batching, a batch each second, its limit of events per second raised; no autocapture, recording, surveys, flags',
  },
  {
    name: 'Jitsu',
    page: 'jitsu',
    package: '@jitsu/js',
    configuration: 'a request for each event, as it is built; it has neither batches nor a queue',
  },
  {
    name: 'Segment',
    page: 'segment',
    package: '@segment/analytics-next',
    configuration:
      'its default, a request for each event, as its batches are not kept over a page; settings given, not loaded',
  },
  {
    name: 'Amplitude',
    page: 'amplitude',
    package: '@amplitude/analytics-browser',
    configuration: `${batching}, flushMaxRetries 1,000 (of 5); no autocapture, remote configuration, diagnostics`,
  },
  {
    name: 'Mixpanel',
    page: 'mixpanel',
    package: 'mixpanel-browser',
    configuration:
      'its core loader, without session replay; batches of 50 (its most) or a second, as JSON, persistence in localStorage',
  },
  snowplow,
  {
    name: 'RudderStack',
    page: 'rudderstack',
    package: '@rudderstack/analytics-js',
    configuration: `its bundled build, so that it loads no plugins; ${batching}, maxItems 100,000, minRetryDelay 500 ms; settings given, not loaded`,
  },
];

export const SUBJECTS: readonly BrowserSubject[] = [sluice, ...PEERS];

/** Enough to check that the harness works, also with a peer. */
export const QUICK_SUBJECTS: readonly BrowserSubject[] = [sluice, snowplow];

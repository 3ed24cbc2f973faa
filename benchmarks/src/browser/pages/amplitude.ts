import { init, Types, track } from '@amplitude/analytics-browser';
import type { Open } from './page-event.ts';

export const open: Open = (serviceUrl) => {
  init('bench-key', {
    serverUrl: `${serviceUrl}/2/httpapi`,
    flushQueueSize: 100,
    flushIntervalMillis: 1000,
    flushMaxRetries: 1000,
    identityStorage: 'localStorage',
    autocapture: false,
    remoteConfig: { fetchRemoteConfig: false },
    enableDiagnostics: false,
    logLevel: Types.LogLevel.None,
  });
  return ({ name, customer, payload }) => void track(name, payload, { user_id: customer });
};

import { captureEvent, init, makeBrowserOfflineTransport, makeFetchTransport } from '@sentry/browser';
import type { Open } from './page-event.ts';

/** Limits of the events that are being sent, and of the stored events that could not be sent. */
const transportOptions = { bufferSize: 100_000, maxQueueSize: 100_000, flushAtStartup: true };

export const open: Open = (serviceUrl) => {
  init({
    dsn: serviceUrl.replace('//', '//key@').concat('/1'),
    transport: makeBrowserOfflineTransport(makeFetchTransport),
    transportOptions,
    defaultIntegrations: false,
    sendClientReports: false,
    maxBreadcrumbs: 0,
  });
  return ({ name, customer, payload }) =>
    void captureEvent({ message: name, user: { email: customer }, extra: { ...payload } });
};

import { drainOnSync } from '@sluice/core/service-worker';
drainOnSync({ baseUrl: location.origin, correlationKey: 'email' });

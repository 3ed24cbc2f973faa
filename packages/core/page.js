import { createTracker } from '@sluice/core';
globalThis.tracker = createTracker({ baseUrl: location.origin, correlationKey: 'email' });

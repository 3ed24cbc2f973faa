import { createTracker } from './dist/page-engine/page-tracker.js';globalThis.tracker = createTracker({ baseUrl: location.origin, correlationKey: 'email' });

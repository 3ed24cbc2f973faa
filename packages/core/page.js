import { createTracker } from '@sluice/core';

globalThis.tracker = createTracker({ baseUrl: location.origin, correlationKey: 'email' });

import { destination } from '@sluice/core/destination';

globalThis.x = destination;

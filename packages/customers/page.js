import { createTracker } from '@sluice/core';
globalThis.tracker = createTracker({ baseUrl: location.origin, correlationKey: 'email' });
import { createCustomerReader } from '@sluice/customers';
globalThis.customers = createCustomerReader({ apiUrl: location.origin });

import { it } from 'vitest';
import { expectSalesOf } from '../../../testing/shop-server.ts';

it('tracks each purchase for the customer of its request, and delivers at SIGTERM', () =>
  expectSalesOf('express'));

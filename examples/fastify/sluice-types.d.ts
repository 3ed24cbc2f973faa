import type { CustomerTracker } from '@sluice/core';

declare module 'fastify' {
  interface FastifyRequest {
    tracker: CustomerTracker;
  }
}

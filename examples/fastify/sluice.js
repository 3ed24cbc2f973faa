// @ts-check
import fastifyPlugin from 'fastify-plugin';

/**
 * Gives each request its view of the tracker: `request.tracker`. `application.close()` answers pending requests, then delivers. What
 * the service does not take now stays in the journal.
 * @type {import('fastify').FastifyPluginAsync<{
 *   tracker: import('@sluice/core').Tracker,
 *   customerOf: (request: import('fastify').FastifyRequest) => string,
 * }>}
 */
const plugin = async (application, { tracker, customerOf }) => {
  application.decorateRequest('tracker');
  application.addHook('onRequest', async (request) => {
    request.tracker = tracker.for(customerOf(request), { requestId: request.id });
  });
  application.addHook('onClose', async () => void (await tracker.close()));
};

export const sluice = fastifyPlugin(plugin);

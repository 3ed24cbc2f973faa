import type { Relay } from '../relay.ts';
import { NodeIncoming, type NodeRequest, parsedBody } from './node.ts';

/** What the relay needs of a request of Fastify. */
interface FastifyRequest {
  readonly raw: NodeRequest;
  readonly body: unknown;
}

/** What the relay needs of a reply of Fastify. */
interface FastifyReply {
  code(status: number): FastifyReply;
  headers(headers: Record<string, string>): FastifyReply;
  send(body: string): unknown;
}

/** A handler for Fastify: `app.all('/s', toFastifyHandler(relay))`. Fastify's own parser reads the body, unless a parser leaves it to the relay. */
export function toFastifyHandler(
  relay: Relay,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async (request, reply) => {
    const { body: parsed, raw } = request;
    const incoming = new NodeIncoming(raw, parsed ?? parsedBody(raw), request);
    const { status, headers, body } = await relay.answer(incoming);
    return reply.code(status).headers(headers).send(body);
  };
}

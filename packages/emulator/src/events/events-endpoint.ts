import { EVENTS_PATH } from '@sluice/protocol';
import type { Injection } from '../faults/injection.ts';
import { acceptedAnswer, type LeftOut } from '../http/answers.ts';
import type { Exchange } from '../http/exchange.ts';
import type { InterfaceEndpoint } from '../http/interface-endpoint.ts';
import type { JsonBody } from '../http/request-body.ts';
import { batchElements, judgeBatch } from './batch-verdict.ts';
import { Refusal, type RefusalBody } from './refusal.ts';

/** The endpoint that ingests a batch of events (section 4.1). */
export const eventsEndpoint: InterfaceEndpoint = {
  name: 'events',
  path: EVENTS_PATH,
  mayBeGzipped: true,
  serve,
};

async function serve(
  exchange: Exchange,
  primaryKey: string,
  body: JsonBody,
  injection: Injection,
): Promise<Response> {
  const { behaviour } = exchange;
  const elements = batchElements(body);
  exchange.events = elements.length;
  const { maxEvents } = behaviour;
  const objection = (text: string): string | undefined => injection.objection(text);
  const { right, wrong } = await judgeBatch(body, elements, { primaryKey, maxEvents, objection });
  const [first] = wrong;
  if (first !== undefined) {
    if (behaviour.badEvents === 'refuse') throw new Refusal(first.code, first.message, first);
    exchange.error = leftOutError(wrong.length, elements.length, first);
  }
  const { status } = acceptedAnswer(behaviour, { accepted: 0, repeated: 0 }, wrong);
  const outcome = await exchange.ingest(right, status);
  return exchange.respond(acceptedAnswer(behaviour, outcome, wrong));
}

/** The error that the requests page shows for a batch of which some events were left out. */
function leftOutError(count: number, of: number, { code, message, field }: LeftOut): RefusalBody['error'] {
  return { code, message: `${count} of ${of} events were left out: ${message}`, field };
}

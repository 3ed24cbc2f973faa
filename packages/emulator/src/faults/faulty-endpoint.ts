import { Refusal } from '../events/refusal.ts';
import { type Answer, answer } from '../http/answers.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RequestContext } from '../running/application.ts';
import { cut, cutInTheMiddle, hang } from './cut-connections.ts';
import type { StatusFault } from './fault.ts';
import type { Endpoint } from './fault-step.ts';
import type { Faults } from './faults.ts';
import type { Injection } from './injection.ts';

/** Serves a request with `serve`, and applies the active faults to it. */
export async function serveWithFaults(
  faults: Faults,
  endpoint: Endpoint,
  context: RequestContext,
  exchange: Exchange,
  serve: (injection: Injection) => Promise<Response>,
): Promise<Response> {
  const injection = faults.inject(endpoint);
  exchange.faults = injection.words;
  if (injection.delayMs > 0) await faults.pause(injection.delayMs);
  const { ending } = injection;
  exchange.isCut = faults.closing.aborted;
  if (exchange.isCut) return cut(context);
  switch (ending?.kind) {
    case undefined:
      return serve(injection);
    case 'status':
      return exchange.respond(statusAnswer(ending));
    case 'hang':
      exchange.isCut = true;
      exchange.end(0); // the requests page shows it while it hangs
      return hang(context, faults.closing);
    case 'lost-answer':
      exchange.isCut = true;
      await serve(injection).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        exchange.error = error.body.error;
      });
      return cut(context);
    case 'reset':
      if (ending.at === 'middle') return cutInTheMiddle(context, await serve(injection));
  }
  exchange.isCut = true;
  return cut(context);
}

function statusAnswer({ status, body, retryAfter }: StatusFault): Answer {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (body !== undefined) return answer(status, body, undefined, headers);
  if (status < 400) return answer(status, null, undefined, headers);
  throw new Refusal('injected_fault', `A fault is switched on that answers ${status}.`, { status, headers });
}

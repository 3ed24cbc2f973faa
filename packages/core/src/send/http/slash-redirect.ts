import { tried } from '@sluice/protocol/toolbox';
import { type Answer, isIntercepted, type Transport } from './transport.ts';

/** Redirects after which a request is sent again with the same method and body. */
const REPEATING = [301, 307, 308];

/**
 * Follows a redirect that only adds or drops the slash at the end of the address. The key never goes to another origin, and there is
 * at most one more request. For runtimes that see where a redirect leads.
 *
 * @param post Makes one request.
 */
export function followSlash(post: Transport['post']): Transport['post'] {
  /** The address that was asked last, and the one to which it leads. */
  let asked = '';
  let moved: string | undefined;
  return async (request) => {
    if (request.url !== asked) moved = undefined;
    asked = request.url;
    const url = moved ?? asked;
    const outcome = await post({ ...request, url });
    if (outcome.kind === 'failed' || isService(outcome)) return outcome;
    // The next request begins with the address that was asked for.
    moved = undefined;
    const other = url.endsWith('/') ? url.slice(0, -1) : `${url}/`;
    const target = tried(() => new URL(outcome.location ?? '', url).href);
    if (!REPEATING.includes(outcome.status) || target !== other) return outcome;
    const next = await post({ ...request, url: other });
    if (next.kind === 'answered' && isService(next)) moved = other;
    return next;
  };
}

/** Whether the service is at the address from which an answer comes. */
function isService(answer: Answer): boolean {
  const { status } = answer;
  return status < 300 ? !isIntercepted(answer) : status >= 400 && status !== 404 && status !== 405;
}

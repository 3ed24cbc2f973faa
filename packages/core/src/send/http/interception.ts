import type { Answer } from './transport.ts';

/** How a page begins, complete or not. XML of a service says that it is XML. */
const HTML = /^\s*<(?:[!a-z]|\?xml[^>]*>\s*<(?:!|html))/i;

/**
 * Whether an answer is not the service's own. Either it comes from another address, for example from a site's service worker
 * that answers with its offline page. Or it is an HTML document, for example from a captive portal.
 */
export function isIntercepted({ body, from }: Pick<Answer, 'body' | 'from'>): boolean {
  return from !== undefined || HTML.test(body);
}

import type { Outcome } from './transport.ts';

/** How an HTML document begins: https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type */
const HTML = /^\s*(?:<\?xml[^>]*>\s*)?<(?:!--|(?:!doctype html|html|body|h1)\b)/i;

/**
 * Whether an answer is not the service's own. Either it comes from another address, for example from a site's service worker
 * that answers with its offline page. Or it is an HTML document, for example from a captive portal.
 */
export function isIntercepted({ body, from }: Extract<Outcome, { kind: 'answered' }>): boolean {
  return from !== undefined || HTML.test(body);
}

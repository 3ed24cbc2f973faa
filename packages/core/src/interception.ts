import type { Outcome } from './transport.ts';

/** How much of an answer is looked at for the marks of an HTML document, in characters. */
const LOOKED_AT = 1_024;
const MARKUP = /^\s*</;
const DOCUMENT = /<(?:!doctype\s+html|html)[\s>]/i;

/**
 * Whether an answer is not the service's own: it comes from another address, as that of a site's service worker that answers with
 * its offline page, or it is an HTML document, as that of a captive portal.
 */
export function isIntercepted({
  body,
  contentType = '',
  from,
}: Extract<Outcome, { kind: 'answered' }>): boolean {
  if (from) return true;
  if (!MARKUP.test(body)) return false;
  return /^text\/html\b/i.test(contentType) || DOCUMENT.test(body.slice(0, LOOKED_AT));
}

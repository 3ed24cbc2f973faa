import { thoroughRedactor } from './redaction.ts';

/** Hosts that only this machine reaches. */
const LOOPBACK = /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1])$/;

/**
 * The warning that `apiKey` goes to this http or https URL unencrypted. Undefined if nobody on the way can read the key. Shows no
 * path, and not the key: a user may have put the key into the URL.
 */
export function plainHttpWarning(url: string, apiKey: string | undefined): string | undefined {
  const { protocol, hostname, origin } = new URL(url);
  if (!apiKey || protocol !== 'http:' || LOOPBACK.test(hostname)) return undefined;
  // The host of a URL is in lower case.
  const shown = thoroughRedactor(apiKey.toLowerCase())(origin);
  return `the apiKey goes to ${shown} unencrypted, and others on the way can read it: use https`;
}

import { ConfigError } from '../errors/config-error.ts';
import { describe } from './describe.ts';
import { isNonEmptyString } from './rules.ts';

/** Removes a secret from a text. */
export type Redact = (text: string) => string;

/** Returns a function that removes `secret` from texts, also escaped for JSON or encoded for a URL: services echo headers. */
export function redactor(secret: string): Redact {
  const json = JSON.stringify(secret).slice(1, -1);
  return without([...new Set([json.replaceAll('/', '\\/'), json, encodeURIComponent(secret), secret])]);
}

function without(forms: readonly string[]): Redact {
  return (text) => forms.reduce((safe, form) => safe.replaceAll(form, '[key]'), text);
}

/** Shorter secrets, and encoded forms of them, occur in any text. */
const LEAST_SECRET = 4;
/** Hosts that only this machine reaches. */
const LOOPBACK = /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1])$/;

/**
 * Like `redactor`, but also removes what `secret` looks like in hex, in base64 and with percent codes in lower case, as in a
 * header that a proxy shows encoded.
 */
export function thoroughRedactor(secret: string): Redact {
  // Half a character has no bytes, and no form in a URL.
  if (/\p{Surrogate}/u.test(secret)) return without([JSON.stringify(secret).slice(1, -1), secret]);
  if (secret.length < LEAST_SECRET) return redactor(secret);
  const inPercent = encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase());
  const forms = [inPercent, ...hexOf(secret), ...[0, 1, 2].flatMap((offset) => base64Of(secret, offset))];
  // JSON and URLs escape the characters + and / of base64, too.
  return oneAfterAnother([...new Set([secret, ...forms])].map(redactor));
}

function oneAfterAnother(redactors: readonly Redact[]): Redact {
  return (text) => redactors.reduce((safe, redact) => redact(safe), text);
}

/** Returns a function that removes each of these secrets from texts. What is no text is ignored. */
export function thoroughRedactorOfAll(secrets: readonly unknown[]): Redact {
  return oneAfterAnother(secrets.filter(isNonEmptyString).map(thoroughRedactor));
}

function hexOf(secret: string): string[] {
  const hex = [...new TextEncoder().encode(secret)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return [hex, hex.toUpperCase()];
}

/** The characters of base64, in both alphabets, that only the secret decides if so many bytes come before it, modulo 3. */
function base64Of(secret: string, offset: number): string[] {
  // A runtime without it puts no text in base64 either.
  if (typeof btoa === 'undefined') return [];
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join('');
  const length = offset + bytes.length;
  const base64 = btoa('.'.repeat(offset) + bytes).slice(
    Math.ceil((offset * 8) / 6),
    Math.floor((length * 8) / 6),
  );
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
}

/**
 * Copies an error and its causes (at most `depth` of them). The copies hold only the redacted name, message and code.
 * The original may hold more: undici's parser error holds the bytes that it could not parse, and a caller's `fetch` may add
 * the headers of the request.
 */
export function redactedError(error: unknown, redact: Redact, depth = 4): Error {
  const { name, message, code, cause } = fieldsOf(error);
  const text = [message, code, name].find(isNonEmptyString) ?? describe(error);
  const copy: Error & { code?: string } = new Error(
    redact(text),
    cause && depth ? { cause: redactedError(cause, redact, depth - 1) } : undefined,
  );
  if (typeof name === 'string') copy.name = redact(name);
  if (typeof code === 'string') copy.code = redact(code);
  return copy;
}

/** User code may throw any value, even one whose properties throw when they are read. */
function fieldsOf(error: unknown): Record<string, unknown> {
  try {
    const { name, message, code, cause }: Record<string, unknown> = Object(error);
    return { name, message, code, cause };
  } catch {
    return { message: 'a value that cannot be shown' };
  }
}

/** The message of the innermost cause. Under undici's `fetch failed`, that is `connect ECONNREFUSED 127.0.0.1:4200`. */
export function rootMessage(error: Error): string {
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}

/**
 * Runs `work`. A ConfigError of it shows no secret: the user may have put one in the place of another value. What is no text is
 * ignored.
 */
export function withoutSecrets<Result>(secrets: readonly unknown[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const redact = thoroughRedactorOfAll(secrets.filter((secret) => Object(secret).length >= LEAST_SECRET));
    throw new ConfigError(redact(error.option), redact(error.message));
  }
}

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

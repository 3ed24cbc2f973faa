import { describe } from './describe.ts';
import { isNonEmptyString } from './rules.ts';

/** Removes a secret from a text. */
export type Redact = (text: string) => string;

/** Returns a function that removes `secret` from texts, also escaped for JSON or encoded for a URL: services echo headers. */
export function redactor(secret: string): Redact {
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [...new Set([json.replaceAll('/', '\\/'), json, encodeURIComponent(secret), secret])];
  return (text) => forms.reduce((safe, form) => safe.replaceAll(form, '[key]'), text);
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
    return { message: 'a value was thrown that cannot be shown' };
  }
}

/** The message of the innermost cause. Under undici's `fetch failed`, that is `connect ECONNREFUSED 127.0.0.1:4200`. */
export function rootMessage(error: Error): string {
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}

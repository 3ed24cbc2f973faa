import { describe } from './describe.ts';

/** Takes a secret out of a text. */
export type Redact = (text: string) => string;

/** Makes a function that takes `secret` out of texts, as it is and as JSON or a URL would write it: services echo headers. */
export function redactor(secret: string): Redact {
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [...new Set([json.replaceAll('/', '\\/'), json, encodeURIComponent(secret), secret])];
  return (text) => forms.reduce((safe, form) => safe.replaceAll(form, '[key]'), text);
}

/**
 * A copy of an error and its causes with nothing but names, messages and codes, redacted. The original may hold more:
 * undici's parser error has the bytes that it could not parse, and a caller's `fetch` may add the request's headers.
 */
export function redactedError(error: unknown, redact: Redact, depth = 4): Error {
  const { name, message, code, cause } = fieldsOf(error);
  const text = [message, code, name].find((given) => given && typeof given === 'string') ?? describe(error);
  const copy: Error & { code?: string } = new Error(
    redact(String(text)),
    cause && depth ? { cause: redactedError(cause, redact, depth - 1) } : undefined,
  );
  if (typeof name === 'string') copy.name = redact(name);
  if (typeof code === 'string') copy.code = redact(code);
  return copy;
}

/** User code may throw anything, also what throws when it is looked at. */
function fieldsOf(error: unknown): Record<string, unknown> {
  try {
    const { name, message, code, cause }: Record<string, unknown> = Object(error);
    return { name, message, code, cause };
  } catch {
    return { message: 'a value was thrown that cannot be shown' };
  }
}

/** The message of the cause at the bottom: `connect ECONNREFUSED 127.0.0.1:4200`, under undici's `fetch failed`. */
export function rootMessage(error: Error): string {
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}

import type { RefusalBody } from '../../src/events/refusal.ts';

/** What the user wants cannot be done: `message` says what to correct, and `cause` is the code of a refusal. */
export class AskError extends Error {}

/** Sends a request to an admin route, `path` below `/emulator`, and returns its JSON. Rejects with {@link AskError}. */
export async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`/emulator${path}`, init).catch((error: unknown) => {
    if (init?.signal?.aborted) throw error;
    throw new AskError('The emulator does not answer. Is it still running?');
  });
  if (response.ok) return response.status === 204 ? (undefined as T) : response.json();
  const { error }: Partial<RefusalBody> = await response.json().catch(() => ({}));
  const message = error?.message ?? `The emulator answered with status ${response.status}.`;
  throw new AskError(message, { cause: error?.code });
}

/** Sends a value as JSON to an admin route. */
export function tell<T>(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  const headers = { 'content-type': 'application/json', ...more };
  return ask<T>(path, { method, headers, body: JSON.stringify(value) });
}

/** Reads JSON that the user has typed. Throws {@link AskError}. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AskError(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

import type { RefusalBody } from '../../src/events/refusal.ts';

/** What the user wants cannot be done: `message` says what to correct. */
export class AskError extends Error {
  /** The code of a refusal. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Sends a request to an admin route, `path` below `/emulator/admin`, and returns its JSON. Rejects with {@link AskError}. */
export async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`/emulator/admin${path}`, init).catch((error: unknown) => {
    if (init?.signal?.aborted) throw error;
    throw new AskError('The emulator does not answer. Is it still running?');
  });
  const text = await response.text();
  if (response.ok) return text === '' ? (undefined as T) : (JSON.parse(text) as T);
  throw refusal(response.status, text);
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

function refusal(status: number, text: string): AskError {
  try {
    const { code, message } = (JSON.parse(text) as RefusalBody).error;
    return new AskError(message, code);
  } catch {
    return new AskError(`The emulator answered with status ${status}.`);
  }
}

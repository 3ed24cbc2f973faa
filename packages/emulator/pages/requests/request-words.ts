import type { RequestRow } from '../../src/admin/contract.ts';

/** What a request was for. */
export function purpose({ method, path }: RequestRow): string {
  if (method === 'POST' && path === '/api/events/batch/') return 'Batch';
  if (method === 'POST' && path === '/customers/read') return 'Read a customer';
  return `${method} ${path}`;
}

/** The colour of its status. */
export function tone({ status, error }: RequestRow): 'good' | 'warn' | 'bad' {
  if (status === null || status >= 400) return 'bad';
  return error === null ? 'good' : 'warn';
}

/** Its status, in a few characters. */
export function statusText({ status, fault }: RequestRow): string {
  if (status !== null) return String(status);
  return hangs(fault) ? 'none' : 'cut';
}

/** Why there was no answer. */
export function missingAnswer({ fault }: RequestRow): string {
  return hangs(fault) ? 'It is never answered.' : 'The connection was cut instead of an answer.';
}

function hangs(fault: string | null): boolean {
  return fault?.endsWith('never answers') ?? false; // as the fault describes itself
}

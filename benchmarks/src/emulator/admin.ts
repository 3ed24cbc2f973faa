import type { EmulatorTold } from '../processes/emulator-messages.ts';

export type Ready = Extract<EmulatorTold, { type: 'ready' }>;

interface Status {
  readonly unique: number;
  readonly received: number;
  readonly unindexed: number;
}

export async function status(service: Ready): Promise<Status> {
  return (await admin(service, 'status')) as Status;
}

/** Calls a route of the emulator's operator. Throws unless it answers with a status of success. */
export async function admin({ apiUrl }: Ready, path: string, posted?: unknown): Promise<unknown> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const response = await fetch(
    `${apiUrl}/emulator/${path}`,
    posted === undefined ? {} : { ...post, body: JSON.stringify(posted) },
  );
  if (!response.ok) throw new Error(`the emulator answered ${response.status} to ${path}`);
  return response.json();
}

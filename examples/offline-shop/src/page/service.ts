/** What the shop's own server says of the service that takes the events. */
export interface Service {
  readonly baseUrl: string;
  /** Of an emulator that runs on this machine. A real key has no place in a page: there, a relay adds it. */
  readonly apiKey: string;
  readonly isUp: boolean;
  /** Counted there, by uuid: different events, and how often one came. */
  readonly arrived: { readonly unique: number; readonly received: number };
}

export async function readService(): Promise<Service> {
  return (await fetch('/service')).json();
}

/** Takes the service away, so that connections to it are refused, or brings it back. */
export async function switchService(isUp: boolean): Promise<Service> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch('/service', { method: 'PUT', headers, body: JSON.stringify({ isUp }) })).json();
}

/** What the shop's own server tells about the service that receives the events. */
export interface Service {
  readonly baseUrl: string;
  /** The key of the emulator on this machine. Never put a real key into a page: let a relay add it. */
  readonly apiKey: string;
  readonly isUp: boolean;
  /** Counted at the service, by uuid: `unique` counts each event once, `received` counts each repeat as well. */
  readonly arrived: { readonly unique: number; readonly received: number };
}

export async function readService(): Promise<Service> {
  return (await fetch('/service')).json();
}

/** Brings the service back, or takes it away: then connections to it are refused. */
export async function switchService(isUp: boolean): Promise<Service> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch('/service', { method: 'PUT', headers, body: JSON.stringify({ isUp }) })).json();
}

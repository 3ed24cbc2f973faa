/** What the shop's own server tells about the service that receives the events. */
export interface Service {
  /** Whether the page reaches the relay. */
  readonly isUp: boolean;
  /** Counted at the service, by uuid: `unique` counts each event once, `received` counts each repeat as well. */
  readonly arrived: { readonly unique: number; readonly received: number };
}

export async function readService(): Promise<Service> {
  return (await fetch('/service')).json();
}

/** Brings the relay back, or takes it away: then its connections break. */
export async function switchService(isUp: boolean): Promise<Service> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch('/service', { method: 'PUT', headers, body: JSON.stringify({ isUp }) })).json();
}

// @ts-check
// Visitors of a site: each sends an event to one of the relays, and again until a relay has answered 202.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const VISITORS = 8;
const RETRY_MS = 100;

/** Starts visitors. @param {() => string[]} relays the addresses of the relays that run now */
export function startVisitors(relays) {
  /** The ids of the events that a relay has answered for. @type {Set<string>} */
  const taken = new Set();
  let isOpen = true;
  const visit = async () => {
    while (isOpen) {
      const uuid = randomUUID();
      while (!(await send(uuid))) await pause(RETRY_MS);
      taken.add(uuid);
    }
  };
  /** @param {string} uuid */
  const send = async (uuid) => {
    const urls = relays();
    const url = urls[Math.floor(Math.random() * urls.length)];
    if (url === undefined) return false;
    const event = { event: 'visit', source: 'custom', uuid, payload: { page: '/' } };
    const body = JSON.stringify({
      batch: [{ ...event, correlationKey: 'email', correlationValue: `${uuid.slice(0, 2)}@example.com` }],
      ticket: '',
    });
    const headers = { 'content-type': 'application/json', origin: new URL(url).origin };
    return await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(20_000) }).then(
      (answer) => answer.status === 202,
      () => false,
    );
  };
  const visits = Promise.all(Array.from({ length: VISITORS }, visit));
  return {
    taken,
    /** Resolves once each visitor's last event is taken. */
    async close() {
      isOpen = false;
      await visits;
    },
  };
}

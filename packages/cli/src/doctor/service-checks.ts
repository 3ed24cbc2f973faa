import type { Outcome } from '@sluice/core';
import { EVENTS_PATH, endpoint, requestHeaders } from '@sluice/protocol';
import { plainHttpWarning } from '@sluice/protocol/toolbox';
import type { ServiceSettings } from '../settings/settings.ts';
import { duration } from '../text/amounts.ts';
import type { Finding } from './finding.ts';

const TIMEOUT_MS = 10_000;
const TIMEOUTS = { connectMs: TIMEOUT_MS, headersMs: TIMEOUT_MS, bodyMs: TIMEOUT_MS, totalMs: TIMEOUT_MS };
/** Sluice corrects the time of events if the clock is wrong by more. */
const MOST_OFFSET_MS = 60_000;
/** A batch needs an event: the service refuses this one, and says whether it knows the key. */
const NO_EVENTS = new TextEncoder().encode('{"batch":[]}');

type Answer = Outcome & { readonly kind: 'answered' };

/**
 * Makes one request without an event, as a tracker would: whether the address answers, takes the key, and has the same time. None to
 * another endpoint: nobody knows what it does with an empty batch.
 */
export async function checkService(settings: ServiceSettings): Promise<Finding[]> {
  const { baseUrl, apiKey, delivery } = settings;
  const own = (['destination', 'transport'] as const).find((name) => settings[name] !== undefined);
  if (own) return [{ check: 'address', state: 'warning', found: `not checked: the settings have a ${own}` }];
  const url = endpoint(baseUrl, EVENTS_PATH);
  const startedAt = Date.now();
  const answer = await ask(url, apiKey, delivery);
  if (answer.kind === 'failed') {
    const advice = 'correct baseUrl, or look at the network: name, port, firewall, certificate';
    return [
      {
        check: 'address',
        state: 'problem',
        found: `${url} does not answer: ${reasonOf(answer.cause)}`,
        advice,
      },
    ];
  }
  const plain = plainHttpWarning(baseUrl, apiKey);
  const address = addressOf(url, answer);
  return [
    address,
    // Another service knows nothing of the key.
    ...(address.state === 'ok' ? [keyOf(answer.status, apiKey)] : []),
    ...(plain === undefined ? [] : [{ check: 'encryption', state: 'warning', found: plain } as const]),
    clockOf(answer.date, startedAt),
  ];
}

async function ask(
  url: string,
  apiKey: string | undefined,
  delivery: ServiceSettings['delivery'],
): Promise<Outcome> {
  const { UndiciTransport } = await import('@sluice/core/undici-transport');
  try {
    const transport = new UndiciTransport({ connect: delivery?.connect, dispatcher: delivery?.dispatcher });
    const answer = await transport.post({
      url,
      headers: { ...delivery?.headers, ...requestHeaders(apiKey) },
      body: NO_EVENTS,
      timeouts: TIMEOUTS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await transport.close();
    return answer;
  } catch (cause) {
    // Node cannot use a certificate, or a proxy of the environment is not a URL.
    return { kind: 'failed', cause, maybeSent: false };
  }
}

function addressOf(url: string, { status, body }: Answer): Finding {
  const check = 'address';
  if (status >= 300 && status < 400)
    return {
      check,
      state: 'problem',
      found: `${url} redirects`,
      advice: 'give the address that it leads to as baseUrl',
    };
  if (status === 404 || status === 405)
    return {
      check,
      state: 'problem',
      found: `${url} answers ${status}`,
      advice: 'correct baseUrl: it is no such service',
    };
  if (status >= 500)
    return {
      check,
      state: 'problem',
      found: `${url} answers ${status}`,
      advice: 'wait: the service fails, events are kept',
    };
  if (/^\s*<(!doctype )?html/i.test(body))
    return { check, state: 'problem', found: `${url} answers a web page`, advice: 'correct baseUrl' };
  return { check, state: 'ok', found: `${url} answers` };
}

function keyOf(status: number, apiKey: string | undefined): Finding {
  const check = 'key';
  if (status === 401 || status === 403) {
    const found =
      apiKey === undefined ? 'none is set, and the service wants one' : `the service refuses it (${status})`;
    return {
      check,
      state: 'problem',
      found,
      advice: 'take it from the settings of the account: SLUICE_API_KEY',
    };
  }
  if (apiKey === undefined)
    return { check, state: 'warning', found: 'none is set', advice: 'right only if a relay holds it' };
  return {
    check,
    state: 'ok',
    found: `not refused: the service answers ${status} to a batch without events`,
  };
}

function clockOf(date: string | undefined, startedAt: number): Finding {
  const check = 'clock';
  const time = Date.parse(date ?? '');
  if (Number.isNaN(time)) return { check, state: 'warning', found: 'the service does not tell the time' };
  const offsetMs = Math.abs((startedAt + Date.now()) / 2 - time);
  if (offsetMs <= MOST_OFFSET_MS)
    return { check, state: 'ok', found: 'as that of the service, within a minute' };
  const found = `${duration(offsetMs)} off that of the service`;
  return { check, state: 'warning', found, advice: 'set it: timedatectl set-ntp true' };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

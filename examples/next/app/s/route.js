import { createRelay } from '@sluice/relay';

const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = '', RELAY_SECRET = '' } = process.env;

let relay;

/** Takes the events of pages. The relay is made with the first request: `next build` has no key. */
export function POST(request) {
  relay ??= createRelay({
    baseUrl: SLUICE_URL,
    apiKey: SLUICE_API_KEY,
    correlationKey: 'email',
    secret: RELAY_SECRET, // at least 32 characters
    identify: () => 'ada@example.com', // whom your session of this request says
  });
  return relay(request);
}

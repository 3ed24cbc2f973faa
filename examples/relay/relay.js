// @ts-check
import { createRelay } from '@sluice/relay';

const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = '', RELAY_SECRET = '' } = process.env;

export const relay = createRelay({
  baseUrl: SLUICE_URL,
  apiKey: SLUICE_API_KEY,
  correlationKey: 'email',
  secret: RELAY_SECRET, // at least 32 characters
  // Your session knows who is signed in. This example believes the cookie.
  identify: (request) => /session=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1],
});

/** Ends a server at SIGTERM: the relay delivers what it has taken. @param {{ close(): unknown }} server */
export function closeAtEnd(server) {
  process.once('SIGTERM', async () => {
    server.close();
    await relay.close();
    process.exit(0);
  });
}

// A relay behind a server of its own, and beside it a bare server that answers 202 to whatever it gets.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRelay, startRelayServer } from '@sluice/relay';
import { receiveSettings, tell } from '../processes/parent.ts';
import type { RelaySettings, RelayTold } from './relay-messages.ts';

const UNLIMITED = { ticketEventsPerMinute: 2 ** 31, addressEventsPerMinute: 2 ** 31 };
const BARE_ANSWER = '{"taken":1,"refused":[]}';

const { baseUrl, apiKey, directory } = await receiveSettings<RelaySettings>();
const nothing = () => undefined;
const relay = createRelay({
  ...{ baseUrl, apiKey, directory, correlationKey: 'email', limits: UNLIMITED },
  secret: 'the secret of a relay in a benchmark',
  identify: () => 'customer-1000@example.com',
  logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
});
const { url } = await startRelayServer(relay);
const bare = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(202, { 'content-type': 'application/json' }).end(BARE_ANSWER));
});
bare.listen(0, '127.0.0.1', () => {
  const { port } = bare.address() as AddressInfo;
  tell<RelayTold>({ type: 'ready', url, bareUrl: `http://127.0.0.1:${port}/s` });
});

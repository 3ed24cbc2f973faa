// A bare server that reads each request and answers 202, whatever it gets.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { receiveSettings, tell } from '../processes/parent.ts';
import type { RelayTold } from './relay-messages.ts';

const ANSWER = '{"taken":1,"refused":[]}';

await receiveSettings();
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(202, { 'content-type': 'application/json' }).end(ANSWER));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  tell<RelayTold>({ type: 'ready', url: `http://127.0.0.1:${port}/s` });
});

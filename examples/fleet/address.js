// @ts-check
// One address for the database, whichever server is the primary: what a load balancer or a DNS name is in a data center.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @param {number} port of the primary */
export async function openAddress(port) {
  let target = port;
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1');
    join(client, database);
    join(database, client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `postgres://postgres@127.0.0.1:${own}/postgres`,
    /** @param {number} port */
    pointTo(port) {
      target = port;
    },
    close: () => server.close(),
  };
}

/** @param {import('node:net').Socket} from @param {import('node:net').Socket} to */
function join(from, to) {
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}

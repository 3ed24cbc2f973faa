import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, describeFleet } from '../bench/fleet.ts';

/** A network that forgets the connection of a listener, as firewalls and load balancers do with one that is idle: nothing passes. */
async function forgetful(port: number): Promise<{ connectionString: string; forget(): number }> {
  const listeners: Socket[] = [];
  let isForgotten = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const inner = connect(port, '127.0.0.1');
    let isListener = false;
    for (const socket of [client, inner]) socket.on('error', () => {});
    client.on('data', (bytes) => {
      if (!isListener && bytes.includes('listen "')) {
        isListener = true;
        listeners.push(client);
      }
      if (!(isListener && isForgotten)) inner.write(bytes);
    });
    inner.on('data', (bytes) => {
      if (!(isListener && isForgotten)) client.write(bytes);
    });
    client.on('end', () => isListener || inner.end());
    inner.on('end', () => isListener || client.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const to = server.address() as AddressInfo;
  return {
    connectionString: `postgres://postgres@127.0.0.1:${to.port}/postgres`,
    forget() {
      isForgotten = true;
      return listeners.length;
    },
  };
}

describeFleet('close()', (fleet) => {
  it('gives slots back although the connection of the listener is dead', async () => {
    const network = await forgetful(fleet.database.server.port);
    await fleet.emulator.suspend();
    const tracker = fleet.tracker({ pool: { connectionString: network.connectionString } });
    tracker.track('left', {}, ADA);
    await tracker.durable();
    await vi.waitFor(() => expect(network.forget()).toBe(1), PATIENCE);
    await tracker.close({ timeoutMs: 100 });
    const owned = await fleet.count('slot', 'owner is not null');
    await fleet.emulator.resume();
    expect(owned).toBe(0);
  });
});

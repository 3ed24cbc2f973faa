import { connect, type Socket } from 'node:net';

/** Writes bytes to a socket, and returns all that comes back until the server closes it. */
export function rawRequest(origin: string, ...lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = open(origin);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
    socket.write(lines.join('\r\n'));
  });
}

/** A connection that the test ends itself. */
export function open(origin: string): Socket {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return socket;
}

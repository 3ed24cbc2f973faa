import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTracker } from '../../../src/index.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nodes-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a service behind a balancer that gives each connection to the next node', () => {
  it.each([
    // One of so many nodes is broken, the first one included.
    [2, 500],
    [4, 500],
    [2, 503],
    [2, 400],
    [4, 403],
    [4, 404],
  ])(
    'of which one in %i answers %i: all is delivered, and no connection meets that node twice',
    async (nodes, status) => {
      const nodeOf = new Map<Socket, number>();
      const refused = new Set<Socket>();
      const taken = new Set<number>();
      let failed = 0;
      const service = createServer(async (request, answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const isBroken = (nodeOf.get(request.socket) ?? 0) % nodes === 0;
        if (isBroken) {
          failed += 1;
          expect(refused.has(request.socket)).toBe(false);
          refused.add(request.socket);
        } else
          for (const { payload } of JSON.parse(Buffer.concat(chunks).toString()).batch)
            taken.add(payload.number);
        answer.writeHead(isBroken ? status : 200).end('{}');
      });
      service.on('connection', (socket) => nodeOf.set(socket, nodeOf.size));
      await once(service.listen(0, '127.0.0.1'), 'listening');
      const { port } = service.address() as AddressInfo;
      const tracker = createTracker({
        ...{ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key-1', correlationKey: 'email' },
        journalDirectory: directory,
      });
      const count = 5_000;
      for (let number = 0; number < count; number += 1)
        tracker.track('event', { number }, { correlationValue: `customer-${number % 100}` });
      const report = await tracker.flush({ timeoutMs: 60_000 });
      expect(report).toMatchObject({ delivered: count, deadLettered: 0, pending: 0 });
      expect(taken.size).toBe(count);
      // Once for each connection made at the start, and for some that replaced them: of two nodes, half lead to the broken one.
      expect(failed).toBeLessThanOrEqual(20);
      await tracker.close();
      service.closeAllConnections();
      service.close();
    },
  );
});

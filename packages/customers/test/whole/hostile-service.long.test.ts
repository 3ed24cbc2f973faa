import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { httpService, readerOf } from '../node-service.ts';

it('a service that sends a bomb is left at the limit', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  await using service = await httpService((_request, response) => {
    response.setHeader('content-encoding', 'gzip').end(bomb);
  });
  const message = expect.stringContaining('more than maxResponseBytes (1048576)');
  await expect(readerOf(service).read('a')).rejects.toMatchObject({ code: 'SLUICE_DELIVERY', message });
});

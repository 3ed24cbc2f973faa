// Shared by the tests of compressed bodies.
import { gzipSync } from 'node:zlib';
import { EVENTS_PATH, requestHeaders } from '@sluice/protocol';
import { expect } from 'vitest';
import { type Answer, ask, event, type Service } from './service.ts';

/** What an emulator takes, and refuses, in these tests. */
export const COMPRESSION = { compression: true, maxBodyBytes: 100_000 };

export function sendAs(service: Service, encoding: string, body: Uint8Array<ArrayBuffer>): Promise<Answer> {
  const headers = { ...requestHeaders(service.apiKey), 'content-encoding': encoding };
  return ask(service.baseUrl + EVENTS_PATH, { method: 'POST', headers, body });
}

export function batchOf(name: string, filler = ''): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    Buffer.from(JSON.stringify({ batch: [event({ event: name, payload: { filler } })] })),
  );
}

/** Sends a small body that would become as large as this. */
export async function expectTooLarge(service: Service, inflatedBytes: number): Promise<void> {
  const bomb = new Uint8Array(gzipSync(batchOf('bomb', 'x'.repeat(inflatedBytes))));
  expect(bomb.length).toBeLessThan(COMPRESSION.maxBodyBytes);
  expect(await sendAs(service, 'gzip', bomb)).toMatchObject({
    status: 413,
    body: { error: { code: 'body_too_large' } },
  });
}

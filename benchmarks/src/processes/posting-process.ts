// Posts request bodies as they are in a file. No delivery from a journal can be faster.
import { open } from 'node:fs/promises';
import { EVENTS_PATH, endpoint, requestHeaders } from '@sluice/protocol';
import { Agent } from 'undici';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import type { PostingSettings, PostingTold } from './posting-messages.ts';

const CONNECTIONS = 4;

const { baseUrl, path, lengths } = await receiveSettings<PostingSettings>();
const { origin, pathname } = new URL(endpoint(baseUrl, EVENTS_PATH));
const headers = requestHeaders('bench-key');
const startedAt = performance.now();
const file = await open(path);
const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
let next = 0;
let offset = 0;
await Promise.all(Array.from({ length: CONNECTIONS }, post));
const elapsedMs = performance.now() - startedAt;
await agent.close();
await file.close();
tell<PostingTold>({ type: 'posted', elapsedMs });
takeLeave();

async function post(): Promise<void> {
  const kept = Buffer.allocUnsafe(Math.max(...lengths));
  for (let length = lengths[next]; length !== undefined; length = lengths[next]) {
    next += 1;
    const position = offset;
    offset += length;
    const { bytesRead } = await file.read(kept, 0, length, position);
    if (bytesRead !== length) throw new Error(`a body of ${length} bytes has only ${bytesRead}`);
    const body = kept.subarray(0, length);
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
    await answer.body.dump();
  }
}

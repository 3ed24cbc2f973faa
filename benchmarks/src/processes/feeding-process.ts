// Sends batches of 500 events to an emulator as fast as it takes them. Words, customers and values vary, as in real data.
import { EVENTS_PATH, endpoint, requestHeaders } from '@sluice/protocol';
import { Agent } from 'undici';
import { variedEventText } from '../workload/varied-event.ts';
import type { FeedingSettings, FeedingTold } from './emulator-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';

const BATCH_EVENTS = 500;
// While the emulator works on one request, the next one is made.
const CONNECTIONS = 2;

const { baseUrl, apiKey, events } = await receiveSettings<FeedingSettings>();
const { origin, pathname } = new URL(endpoint(baseUrl, EVENTS_PATH));
const headers = requestHeaders(apiKey);
const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
const requestMs: number[] = [];
let next = 0;
const startedAt = performance.now();
await Promise.all(Array.from({ length: CONNECTIONS }, feed));
const elapsedMs = performance.now() - startedAt;
await agent.close();
tell<FeedingTold>({ type: 'fed', elapsedMs, requestMs });
takeLeave();

async function feed(): Promise<void> {
  while (next < events) {
    const from = next;
    next = Math.min(events, from + BATCH_EVENTS);
    const texts = Array.from({ length: next - from }, (_, index) => variedEventText(from + index));
    const body = `{"batch":[${texts.join(',')}]}`;
    const sentAt = performance.now();
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`the emulator answered ${answer.statusCode}`);
    requestMs.push(performance.now() - sentAt);
  }
}

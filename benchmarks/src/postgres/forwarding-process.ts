// A forwarder: it delivers what others stored in PostgreSQL, and tells how much.
import { createTracker } from '@sluice/core';
import { postgresJournal } from '@sluice/postgres';
import { receiveSettings, tell } from '../processes/parent.ts';
import type { ForwardingSettings, ForwardingTold } from './messages.ts';

const TELL_MS = 20;

const { baseUrl, connectionString } = await receiveSettings<ForwardingSettings>();
const tracker = createTracker({
  ...{ baseUrl, apiKey: 'bench-key', correlationKey: 'email', logger: false },
  journal: postgresJournal({ pool: { connectionString } }),
});
let delivered = 0;
tracker.on('delivered', ({ count }) => {
  delivered += count;
});
setInterval(() => {
  if (delivered > 0) tell<ForwardingTold>({ type: 'delivered', count: delivered });
  delivered = 0;
}, TELL_MS);
await tracker.durable();
tell<ForwardingTold>({ type: 'ready' });

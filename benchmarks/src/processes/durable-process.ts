// Gives events to a store, and waits until all are safe there. The process is fresh; only the store is open already.
import { openStore } from '../stores/open-store.ts';
import type { DurableSettings, DurableTold } from './durable-messages.ts';
import { receiveSettings, takeLeave, tell } from './parent.ts';
import { inTurns } from './turns.ts';

const { store: name, directory, events, groupEvents } = await receiveSettings<DurableSettings>();
const store = await openStore(name, directory, groupEvents);
const startedAt = performance.now();
await inTurns(events, (turn) => {
  for (const event of turn) store.add(event);
  store.endTurn();
});
await store.settle();
const elapsedMs = performance.now() - startedAt;
const { commits } = store;
const kept = await store.count();
await store.close();
tell<DurableTold>({ type: 'measured', elapsedMs, kept, commits });
takeLeave();

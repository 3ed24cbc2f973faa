import { type Batch, EVENTS_PATH, findBatchProblem } from '@sluice/protocol';
import type { Account } from './account.ts';
import { type Application, addRoute } from './application.ts';
import { authenticate } from './authentication.ts';
import { elementTexts } from './json-text.ts';
import type { Settings } from './options.ts';
import { requirePrimaryKey } from './primary-key.ts';
import { quote } from './quote.ts';
import { Refusal } from './refusal.ts';
import { readJsonBody } from './request-body.ts';
import type { ReceivedEvent } from './storage/event-store.ts';

/** Serves the ingestion of a batch of events (section 4.1). */
export function addEventsEndpoint(
  application: Application,
  account: Account,
  { maxBodyBytes, compression }: Settings,
): void {
  addRoute(application, 'POST', EVENTS_PATH, async (context) => {
    authenticate(context.req.header('authorization'), account.apiKeys);
    const primaryKey = requirePrimaryKey(account);
    const { text, value } = await readJsonBody(context.env.incoming, maxBodyBytes, compression);
    checkBatch(value);
    checkCorrelationKeys(value, primaryKey);
    return context.json(account.events.add(withTexts(value, text)));
  });
}

function checkBatch(value: unknown): asserts value is Batch {
  const problem = findBatchProblem(value);
  if (problem === undefined) return;
  const code = isEmptyBatch(value) ? 'empty_batch' : 'invalid_field';
  throw new Refusal(code, problem.message, { field: problem.field });
}

function isEmptyBatch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const batch: unknown = Reflect.get(value, 'batch');
  return Array.isArray(batch) && batch.length === 0;
}

// Section 2.2: for custom events, the key is always the primary key.
function checkCorrelationKeys({ batch }: Batch, primaryKey: string): void {
  const index = batch.findIndex(({ correlationKey }) => correlationKey !== primaryKey);
  if (index === -1) return;
  const field = `batch[${index}].correlationKey`;
  const got = quote(batch[index]?.correlationKey ?? '');
  const message = `${field} must be the selected primary key ${quote(primaryKey)}, got ${got}`;
  throw new Refusal('wrong_correlation_key', message, { field });
}

function withTexts({ batch }: Batch, body: string): ReceivedEvent[] {
  const texts = elementTexts(body, 'batch');
  return batch.map((event, index) => ({ event, text: texts[index] ?? JSON.stringify(event) }));
}

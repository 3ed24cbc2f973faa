// The emulator in a process of its own. An audit reads from its store which events arrived, by uuid.
import { startEmulator } from '@sluice/emulator';
import { type Audit, type AuditRequest, audit } from '../../processes/audit.ts';
import { onAsked, receiveSettings, tell } from '../../processes/parent.ts';
import type { EmulatorAsked, EmulatorTold } from './messages.ts';

/** Small enough that a page of events does not fill the memory. */
const PAGE = 20_000;

await receiveSettings<object>();
const emulator = await startEmulator({ primaryKey: 'email', maxEvents: Number.POSITIVE_INFINITY });

onAsked<EmulatorAsked>(async (asked) => {
  tell<EmulatorTold>({ type: 'audited', ...(await auditStore(asked)) });
});

const { baseUrl, apiKey } = emulator;
tell<EmulatorTold>({ type: 'ready', baseUrl, apiKey });

async function auditStore(request: AuditRequest): Promise<Audit> {
  const seen = new Set<string>();
  for (let offset = 0, found = PAGE; found === PAGE; offset += PAGE) {
    const events = await emulator.events({ limit: PAGE, offset });
    for (const { uuid } of events) if (uuid !== undefined) seen.add(uuid);
    found = events.length;
  }
  const { received } = await emulator.countEvents();
  return audit(seen, received, request);
}

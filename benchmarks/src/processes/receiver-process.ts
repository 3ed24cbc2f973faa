// The light receiver in its own process, so that its work is not on the sender's thread.
import { type AuditRequest, audit } from './audit.ts';
import type { ReceiverSettings, ReceiverTold } from './messages.ts';
import { onAsked, receiveSettings, tell } from './parent.ts';
import { Receiver } from './receiver.ts';

const { answers, format } = await receiveSettings<ReceiverSettings>();
const receiver = new Receiver(answers, format);
const { events } = receiver;

onAsked<{ type: 'count' } | ({ type: 'audit' } & AuditRequest)>((asked) => {
  const { ambiguous, firstRequestAt, answersGiven } = receiver;
  if (asked.type === 'audit') {
    const result = audit(events.seen, events.received, asked);
    const repeated = events.repeatsOf(new Set(asked.expectations.map(({ life }) => life)));
    const { mostRepeatsAfterOne } = events;
    const counts = { repeated, mostRepeatsAfterOne, ambiguous, answersGiven };
    tell<ReceiverTold>({ type: 'audited', ...result, ...counts });
  } else {
    const { received, seen } = events;
    tell<ReceiverTold>({ type: 'counted', received, unique: seen.size, firstRequestAt });
    receiver.clear();
  }
});

tell<ReceiverTold>({ type: 'ready', baseUrl: await receiver.listen() });

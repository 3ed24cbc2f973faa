import type { Answer } from '../processes/answer.ts';
import { Receiving } from '../processes/receiving.ts';
import type { Fault, FaultContext, FaultResult } from './fault.ts';
import { createRandom, type Random } from './random.ts';
import { Tracking } from './tracking.ts';

const SIZE = { full: { answers: 200, events: 30_000 }, quick: { answers: 25, events: 5_000 } };
/** Small, so that there are more requests than hostile answers. */
const BATCH_EVENTS = 50;
/** Time limit of a request that hangs. In a quick run the machine is busy, and takes longer for an answer. */
const TIMEOUT_MS = { full: 2_000, quick: 5_000 };

/** A service fails in every way that does not blame the events, and then works again. */
export const hostileService: Fault = { name: 'hostile-service', run };

async function run({ isQuick, seed, directory }: FaultContext): Promise<FaultResult> {
  const { answers, events } = isQuick ? SIZE.quick : SIZE.full;
  const random = createRandom(seed);
  const hostile = Array.from({ length: answers }, () => hostileAnswer(random));
  const receiver = await Receiving.start(hostile);
  try {
    const tracking = new Tracking({
      ...{ baseUrl: receiver.baseUrl, journalDirectory: directory },
      ...{ life: 0, seed, total: events, batchEvents: BATCH_EVENTS },
      timeoutMs: isQuick ? TIMEOUT_MS.quick : TIMEOUT_MS.full,
    });
    await tracking.finish();
    const problems = [...tracking.allProblems];
    const expectations = [{ life: 0, count: events }];
    const result = await receiver.audit({ expectations, isComplete: true });
    const { expected, lost, duplicates, ambiguous, answersGiven, examples } = result;
    if (answersGiven < answers)
      problems.push(`only ${answersGiven} of ${answers} hostile answers were given`);
    if (duplicates > ambiguous) problems.push(`${duplicates} duplicates, at most ${ambiguous} may be`);
    return {
      ...{ tries: answers, durable: expected, lost, duplicates },
      demand: `0 lost, duplicates <= ${ambiguous} (taken without an answer)`,
      problems: [...examples, ...problems],
    };
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}

function hostileAnswer(random: Random): Answer {
  // A service that breaks off may or may not have taken the events. Both must end well.
  const takes = random(2) === 0;
  switch (random(20)) {
    case 0:
      return { kind: 'status', status: 429, retryAfter: '1' };
    case 1:
    case 2:
      return { kind: 'hang', takes };
    case 3:
    case 4:
    case 5:
    case 6:
      return { kind: 'reset', takes };
    default:
      return { kind: 'status', status: [408, 425, 429, 500, 502, 503, 504][random(7)] ?? 500 };
  }
}

import { numberedUuid } from './numbered-uuid.ts';

/** Events that must have arrived: the numbers 0 to `count` (exclusive) of one life, without the exceptions. */
export interface Expectation {
  readonly life: number;
  readonly count: number;
  readonly except?: readonly number[];
}

export interface AuditRequest {
  readonly expectations: readonly Expectation[];
  /** Whether any other event that arrived is unexpected. */
  readonly isComplete: boolean;
}

export interface Audit {
  readonly expected: number;
  /** Expected events that did not arrive. */
  readonly lost: number;
  /** Arrivals of an event after its first; each repeat counts. */
  readonly duplicates: number;
  /** Events that arrived although they were not expected. 0 if the expectations are not complete. */
  readonly unexpected: number;
  /** Messages about some lost events, and about unexpected ones. */
  readonly examples: readonly string[];
}

const MOST_EXAMPLES = 5;

/** Compares the events that arrived with the expected ones, by uuid. */
export function audit(
  seen: ReadonlySet<string>,
  received: number,
  { expectations, isComplete }: AuditRequest,
): Audit {
  const examples: string[] = [];
  let expected = 0;
  let lost = 0;
  for (const { life, count, except = [] } of expectations) {
    const exceptions = new Set(except);
    for (let number = 0; number < count; number += 1) {
      if (exceptions.has(number)) continue;
      expected += 1;
      const uuid = numberedUuid(life, number);
      if (seen.has(uuid)) continue;
      lost += 1;
      if (examples.length < MOST_EXAMPLES) examples.push(`lost: event ${number} of life ${life} (${uuid})`);
    }
  }
  const unexpected = isComplete ? seen.size - (expected - lost) : 0;
  if (unexpected > 0) examples.push(`${unexpected} events arrived that should not have`);
  return { expected, lost, duplicates: received - seen.size, unexpected, examples };
}

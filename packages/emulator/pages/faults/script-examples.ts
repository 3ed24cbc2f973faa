import type { Fault, Script } from '../../src/faults/fault.ts';

/** Example scripts to begin with. */
export const EXAMPLES: readonly { readonly name: string; readonly script: readonly Fault[] | Script }[] = [
  {
    name: 'Restart',
    script: [
      { kind: 'status', status: 503, times: 3 },
      { kind: 'down', forMs: 10_000 },
      { kind: 'latency', ms: 1_500, jitterMs: 1_000, requests: 5 },
    ],
  },
  {
    name: 'Rate limit',
    script: [
      { kind: 'none', requests: 5 },
      { kind: 'status', status: 429, retryAfter: 5, times: 2 },
    ],
  },
  {
    name: 'Bad network',
    script: {
      kind: 'script',
      repeat: true,
      steps: [
        { kind: 'none', requests: 3 },
        { kind: 'reset', times: 1 },
        { kind: 'lost-answer', times: 1 },
        { kind: 'latency', ms: 3_000, times: 2 },
      ],
    },
  },
];

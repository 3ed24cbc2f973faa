import type { Subject } from './subject.ts';

const BY_HAND =
  'the same envelope (uuid, time), JSON.stringify, batches of 500, undici on 4 connections; no journal, no retry, no bound';

export const bare: Subject = bareLoop(
  'the bare loop',
  `what is tracked waits in arrays, which flush() posts; ${BY_HAND}`,
  { postsAtOnce: false },
);
export const postingBare: Subject = bareLoop(
  'the bare loop, posting as it tracks',
  `a batch is posted as soon as it is full; ${BY_HAND}`,
  { postsAtOnce: true },
);

function bareLoop(name: string, configuration: string, options: { postsAtOnce: boolean }): Subject {
  return {
    name,
    configuration,
    load: async () => {
      const { BareLoop } = await import('../workload/bare-loop.ts');
      return ({ baseUrl }) => new BareLoop(baseUrl, options);
    },
  };
}

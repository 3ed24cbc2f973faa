import type { Subject } from './subject.ts';

const BY_HAND =
  'the same envelope (uuid, time), JSON.stringify, batches of 500, undici on 4 connections; no journal, no retry, no bound';

/** What a good engineer writes. The results call it "the bare loop". */
export const bare: Subject = bareLoop('the bare loop', `posts each batch as soon as it is full; ${BY_HAND}`, {
  postsAtOnce: true,
});
export const collecting: Subject = bareLoop(
  'a loop that posts at flush()',
  `keeps all batches in arrays and posts nothing before flush(); ${BY_HAND}`,
  { postsAtOnce: false },
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

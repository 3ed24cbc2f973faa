import type { Subject } from './subject.ts';

export const bare: Subject = {
  name: 'the bare loop',
  configuration:
    'an array and undici by hand: the same envelope (uuid, time), JSON.stringify, batches of 500 on 4 connections, each ' +
    'posted as soon as it is full; no journal, no retry, no bound',
  load: async () => {
    const { BareLoop } = await import('../workload/bare-loop.ts');
    return ({ baseUrl }) => new BareLoop(baseUrl);
  },
};

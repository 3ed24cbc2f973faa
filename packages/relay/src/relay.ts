import type { FinishOptions, Tracker } from '@sluice/core';
import { type WebAbout, webIncoming } from './adapters/web.ts';
import type { Answer, Incoming } from './exchange.ts';
import type { RelayOptions } from './options.ts';
import { Reception } from './reception.ts';
import type { RelayStats } from './relay-stats.ts';
import { readOptions } from './settings.ts';

/** Takes the requests of pages. */
export interface Relay {
  /** For frameworks with web requests. Never rejects. */
  (request: Request, about?: WebAbout): Promise<Response>;
  /** For frameworks with other requests. Never rejects. */
  answer(incoming: Incoming): Promise<Answer>;
  /** Delivers the events: for its `stats()`, its dead letters, and `observeTracker()`. Undefined without a journal. */
  readonly tracker: Tracker | undefined;
  /** Whether events can be taken now. Without a journal, always: the service is not asked. */
  isReady(): boolean;
  stats(): RelayStats;
  /** Refuses new requests, answers the pending ones, and delivers what it can. The rest stays in the journal. */
  close(options?: FinishOptions): Promise<void>;
}

/** Makes a relay. Throws a ConfigError if an option is wrong, and nothing else. */
export function createRelay(options: RelayOptions): Relay {
  const reception = new Reception(readOptions(options));
  const respond = async (request: Request, about?: WebAbout) => {
    const { status, headers, body } = await reception.answer(webIncoming(request, about));
    return new Response(status === 204 ? null : body, { status, headers });
  };
  return Object.assign(respond, {
    answer: (incoming: Incoming) => reception.answer(incoming),
    tracker: reception.keeper.tracker,
    isReady: () => reception.isReady,
    stats: () => reception.stats(),
    close: (finish?: FinishOptions) => reception.close(finish),
  });
}

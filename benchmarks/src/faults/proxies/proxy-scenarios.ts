import type { GateState } from './gate.ts';
import type { ProxyRules } from './proxy-kind.ts';

/** What a scenario can do while events are tracked. */
export interface Surroundings {
  /** From 0: how much of the events is tracked. At 1 all are, and a flush waits for them. */
  readonly progress: number;
  become(state: GateState): Promise<void>;
  /** Resolves once each of the answers that the scenario names was seen, or without any a failure. */
  shown(): Promise<void>;
  /** Has the proxy read new rules, or the same ones again. Resolves once it serves by them. */
  reload(rules: ProxyRules): Promise<void>;
}

/** One way in which a proxy in front of the service is in the way. */
export interface ProxyScenario {
  readonly name: string;
  readonly rules: ProxyRules;
  /** Done at each wave of events. */
  readonly disturb?: (surroundings: Surroundings) => Promise<void> | undefined;
  /** Of each event, beside what every event has. */
  readonly paddingBytes?: number;
  /** An event of so many bytes is among them; it must become a dead letter. */
  readonly oversizedBytes?: number;
  /** Default: as many as a wave has. */
  readonly batchEvents?: number;
  /** Between two waves, in milliseconds. 0: all events are tracked at once. Default: 10. */
  readonly waveMs?: number;
  /** How much faster the tracker's clock runs, where it waits for minutes. */
  readonly timeScale?: number;
  /** Answers that must have been seen, each at least once. */
  readonly statuses: readonly number[];
}

const KIB = 1024;
const PLAIN: ProxyRules = {};
/** A body has 300 KiB, and one event alone is too large for the limit. */
const LARGE_BATCHES = {
  ...{ batchEvents: 500, waveMs: 0, paddingBytes: 500, oversizedBytes: 9 * KIB, statuses: [413] },
};

/** @param perSecond How many requests pass where there is a limit. */
export function proxyScenarios(perSecond: number): readonly ProxyScenario[] {
  return [
    { name: 'nothing in the way', rules: PLAIN, statuses: [] },
    { name: 'rate limit, 429', rules: { rate: { perSecond, status: 429 } }, waveMs: 0, statuses: [429] },
    { name: 'rate limit, 503', rules: { rate: { perSecond, status: 503 } }, waveMs: 0, statuses: [503] },
    {
      ...{ name: 'body limit, 413', rules: { maxBodyBytes: 8 * KIB } },
      ...LARGE_BATCHES,
    },
    {
      ...{ name: 'body limit of a stream', rules: { maxBodyBytes: 8 * KIB, isStreaming: true } },
      ...LARGE_BATCHES,
    },
    {
      ...{ name: 'service away', rules: PLAIN, statuses: [] },
      disturb: during('closed'),
    },
    {
      ...{ name: 'service cuts, 502', rules: PLAIN, statuses: [502] },
      disturb: during('cut'),
    },
    {
      ...{ name: 'service cuts a stream', rules: { isStreaming: true }, paddingBytes: 500, statuses: [502] },
      disturb: during('cut'),
    },
    {
      ...{ name: 'service hangs, 504', rules: { upstreamTimeoutMs: 300 }, statuses: [504] },
      disturb: during('hung'),
    },
    {
      ...{ name: 'answer comes not, 504', rules: { upstreamTimeoutMs: 300 }, statuses: [504] },
      disturb: during('deaf'),
    },
    { name: 'reload under load', rules: PLAIN, statuses: [], disturb: reloadAlways },
    {
      ...{ name: 'few per connection', rules: { keepAlive: { requests: 1, idleMs: 1_000 } } },
      statuses: [],
    },
    {
      // As long as the pause between two waves: a request meets the end of its connection.
      ...{ name: 'connections end early', rules: { keepAlive: { requests: 3, idleMs: 25 } } },
      ...{ waveMs: 25, statuses: [] },
    },
    {
      ...{ name: 'redirect, 301', rules: { redirectTo: 'http://127.0.0.1:9/elsewhere' }, statuses: [301] },
      timeScale: 1_000,
      async disturb({ progress, reload, shown }) {
        if (progress < 1) return;
        await shown();
        await reload(PLAIN);
      },
    },
  ];
}

/** In the middle of it the service is in this state, for long enough to be noticed. */
function during(state: GateState): (surroundings: Surroundings) => Promise<void> {
  return async ({ progress, become, shown }) => {
    const isOver = progress >= 0.75;
    if (isOver) await shown();
    await become(progress > 0.25 && !isOver ? state : 'open');
  };
}

/** One reload after the other, for as long as events are tracked. */
function reloadAlways({ progress, reload }: Surroundings): Promise<void> | undefined {
  const reloaded = reload(PLAIN);
  return progress === 1 ? reloaded : undefined;
}

import type { GateState } from './gate.ts';
import type { ProxyRules } from './proxy-kind.ts';

/** What a scenario can use while events are tracked. */
export interface Surroundings {
  /** The part of the events that is tracked, from 0. At 1 all are tracked, and a flush follows. */
  readonly progress: number;
  become(state: GateState): Promise<void>;
  /** Resolves once each status that the scenario names was seen, or, if it names none, any failure. Has a time limit. */
  shown(): Promise<void>;
  /** Makes the proxy read new rules, or the same ones again. Resolves once it applies them. */
  reload(rules: ProxyRules): Promise<void>;
}

/** One way in which a proxy in front of the service disturbs the delivery. */
export interface ProxyScenario {
  readonly name: string;
  readonly rules: ProxyRules;
  /** Called at each wave of events. */
  readonly disturb?: (surroundings: Surroundings) => Promise<void> | undefined;
  /** Size of the padding in each event. */
  readonly paddingBytes?: number;
  /** One event has padding of this many bytes. It must become a dead letter. */
  readonly oversizedBytes?: number;
  /** Default: the number of events in a wave. */
  readonly batchEvents?: number;
  /** Pause between two waves, in milliseconds. 0: all events are tracked at once. Default: 10. */
  readonly waveMs?: number;
  /** Speed of the tracker's clock, for scenarios in which the tracker waits for minutes. */
  readonly timeScale?: number;
  /** Statuses that must be seen, each at least once. */
  readonly statuses: readonly number[];
}

const KIB = 1024;
const PLAIN: ProxyRules = {};
/** After so long a proxy gives a silent service up: longer than a busy machine takes for an answer. */
const SILENT_MS = 2_000;
/** A body has 300 KiB, and one event alone exceeds the limit. */
const LARGE_BATCHES = {
  ...{ batchEvents: 500, waveMs: 0, paddingBytes: 500, oversizedBytes: 9 * KIB, statuses: [413] },
};

/** @param perSecond How many requests pass, if there is a limit. */
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
      ...{ name: 'service hangs, 504', rules: { upstreamTimeoutMs: SILENT_MS }, statuses: [504] },
      disturb: during('hung'),
    },
    {
      ...{ name: 'answer comes not, 504', rules: { upstreamTimeoutMs: SILENT_MS }, statuses: [504] },
      disturb: during('deaf'),
    },
    { name: 'reload under load', rules: PLAIN, statuses: [], disturb: reloadAlways },
    {
      ...{ name: 'few per connection', rules: { keepAlive: { requests: 1, idleMs: 1_000 } } },
      statuses: [],
    },
    {
      // As long as the pause between two waves, so that a request meets the end of its connection.
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

/** In the middle of the run the service is in this state, long enough to be noticed. */
function during(state: GateState): (surroundings: Surroundings) => Promise<void> {
  return async ({ progress, become, shown }) => {
    const isOver = progress >= 0.75;
    if (isOver) await shown();
    await become(progress > 0.25 && !isOver ? state : 'open');
  };
}

/** Reloads the proxy again and again, as long as events are tracked. */
function reloadAlways({ progress, reload }: Surroundings): Promise<void> | undefined {
  const reloaded = reload(PLAIN);
  return progress === 1 ? reloaded : undefined;
}

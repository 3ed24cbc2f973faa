import type { PauseReason, TrackerStats } from '@sluice/core';

/** The state of the buffer, in words for people. */
export interface BufferStatus {
  readonly tone: 'calm' | 'busy' | 'held';
  readonly headline: string;
  readonly sentence: string;
}

const PAUSES: Readonly<Record<PauseReason, string>> = {
  unauthorized: 'The service does not take the key',
  'wrong-address': 'The address is not that of the service',
  refused: 'The service refuses most of what it is sent',
  intercepted: 'Somebody else answers in place of the service',
  policy: 'The service asks for a pause',
  blocked: 'Something in this browser blocks what is sent',
  unavailable: 'The service does not work, or cannot be reached',
  asked: 'The service asks to wait',
};

/** @param isFailing Whether the last request failed. */
export function describeBuffer(stats: TrackerStats, isFailing: boolean): BufferStatus {
  const { accepted, journal, pause, pending, recovered } = stats;
  if (pending === 0) {
    const isFresh = accepted + recovered === 0;
    const sentence = isFresh
      ? 'Each tap in the shop becomes an event.'
      : 'The service has taken every event, and the buffer is empty.';
    return { tone: 'calm', headline: isFresh ? 'Ready' : 'All delivered', sentence };
  }
  const waiting = pending === 1 ? 'One event waits' : `${pending} events wait`;
  const kept =
    journal === 'memory'
      ? `${waiting} in memory: this browser has no storage for them, so they end with the page.`
      : `${waiting} on disk. Reload, or close the tab: they stay, and leave once the service is back.`;
  if (pause?.reason === 'unavailable') return { tone: 'held', headline: 'Not reachable', sentence: kept };
  if (pause !== undefined) {
    return {
      tone: 'held',
      headline: 'Paused',
      sentence: `${PAUSES[pause.reason]}${pause.status > 0 ? ` (${pause.status})` : ''}. ${kept}`,
    };
  }
  if (isFailing) return { tone: 'held', headline: 'Not reachable', sentence: kept };
  return { tone: 'busy', headline: 'Delivering', sentence: `${waiting} to be sent, together with others.` };
}

/** Says in a few words what the sender does. */
export function describeSender({ breaker, pause }: TrackerStats, isFailing: boolean): string {
  if (pause !== undefined && pause.reason !== 'unavailable')
    return `paused: ${pause.reason}, ${pause.status}`;
  if (breaker === 'open') return 'waits before it tries again';
  if (breaker === 'half-open') return 'tries one small batch';
  return isFailing ? 'tries again' : 'sends as events come';
}

/** Says where events are kept. */
export function describeJournal({ journal, journalBytes }: TrackerStats): string {
  if (journal === 'memory') return 'memory only';
  const name = journal === 'indexeddb' ? 'IndexedDB' : journal;
  return journalBytes === 0 ? `${name}, empty` : `${name}, ${(journalBytes / 1000).toFixed(1)} kB`;
}

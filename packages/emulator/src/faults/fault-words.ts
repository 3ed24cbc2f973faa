import type { Fault, FaultScope, Script } from './fault.ts';

/** Describes what a fault does, as a sentence without its subject: `answers 503, on 30 % of requests`. */
export function faultWords(fault: Fault | Script): string {
  if (fault.kind !== 'script') return actWords(fault) + scopeWords(fault);
  const steps = fault.steps.map((step) => faultWords(step)).join('; then ');
  return fault.repeat ? `${steps}; and again` : steps;
}

/** What a fault does to a request that it acts on. */
export function actWords(fault: Fault): string {
  switch (fault.kind) {
    case 'status': {
      const { status, retryAfter } = fault;
      return `answers ${status}${retryAfter === undefined ? '' : ` with Retry-After ${retryAfter}`}`;
    }
    case 'latency':
      return fault.jitterMs
        ? `waits ${duration(fault.ms)} to ${duration(fault.ms + fault.jitterMs)}`
        : `waits ${duration(fault.ms)}`;
    case 'hang':
      return 'never answers';
    case 'reset':
      return `resets the connection ${fault.at === 'middle' ? 'in the middle of the answer' : 'before it reads the body'}`;
    case 'lost-answer':
      return 'serves the request and loses the answer';
    case 'too-large':
      return `refuses bodies of more than ${fault.bytes} bytes`;
    case 'poison':
      return `refuses events that match /${fault.pattern}/${fault.flags ?? ''}`;
    case 'down':
      return 'refuses connections';
    case 'none':
      return 'does nothing';
  }
}

function scopeWords({ endpoint, percent, skip, times, requests, afterMs, forMs }: FaultScope): string {
  const words = [
    endpoint === 'events' && 'event ingestion only',
    endpoint === 'customers' && 'reading customers only',
    percent !== undefined && percent < 100 && `on ${percent} % of requests`,
    skip && `after ${count(skip, 'request')}`,
    times !== undefined && `at most ${count(times, 'time')}`,
    requests !== undefined && `for ${count(requests, 'request')}`,
    afterMs && `from ${duration(afterMs)} on`,
    forMs !== undefined && `for ${duration(forMs)}`,
  ];
  return words.map((word) => (word ? `, ${word}` : '')).join('');
}

function duration(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

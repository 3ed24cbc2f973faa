import type { Tracker, TrackerStats } from '@sluice/core';
import { describeBuffer, describeJournal, describeSender } from './buffer-status.ts';
import { find, write } from './elements.ts';
import type { Service } from './service.ts';

/** How often it looks while something waits, in milliseconds. */
const EVERY_MS = 150;

/** Shows a tracker's buffer: what waits where, and why. */
export class BufferPanel {
  readonly #tracker: Tracker;
  readonly #panel = find('#buffer', HTMLElement);
  #isFailing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
    const isWide = matchMedia('(min-width: 60rem)').matches;
    find('details', HTMLDetailsElement, this.#panel).open = isWide;
    tracker.on('failedAttempt', () => this.#requestEnded(false));
    tracker.on('delivered', () => this.#requestEnded(true));
    for (const name of ['recovered', 'breaker', 'paused', 'resumed', 'dropped', 'journal'] as const) {
      tracker.on(name, () => this.refresh());
    }
    this.refresh();
  }

  /** Shows how it is now, and looks again for as long as something waits. */
  refresh(): void {
    clearTimeout(this.#timer);
    const stats = this.#tracker.stats();
    this.#show(stats);
    if (stats.pending > 0) this.#timer = setTimeout(() => this.refresh(), EVERY_MS);
  }

  showArrived({ unique, received }: Service['arrived']): void {
    const twice = received - unique;
    this.#fact(
      'arrived',
      unique === 0 ? 'none yet' : `${unique}, ${twice === 0 ? 'each once' : `${twice} twice`}`,
    );
  }

  #requestEnded(isGood: boolean): void {
    this.#isFailing = !isGood;
    // Not now: what was delivered is counted once all listeners were told.
    setTimeout(() => this.refresh());
  }

  #show(stats: TrackerStats): void {
    const { tone, headline, sentence } = describeBuffer(stats, this.#isFailing);
    this.#panel.dataset.tone = tone;
    write(headline, '#buffer-headline');
    write(sentence, '#buffer-sentence');
    this.#stage('memory', stats.unwritten);
    // What is in flight is on disk, too, until the service has it.
    this.#stage('disk', stats.pending - stats.unwritten);
    this.#stage('flight', stats.inFlight);
    this.#stage('delivered', stats.delivered);
    this.#fact('journal', describeJournal(stats));
    this.#fact('sender', describeSender(stats, this.#isFailing));
    this.#fact('oldest', stats.oldestAgeMs === undefined ? '' : `${Math.round(stats.oldestAgeMs / 1000)} s`);
    this.#fact('recovered', stats.recovered === 0 ? '' : String(stats.recovered));
    const dropped = Object.entries(stats.dropped).filter(([, count]) => count > 0);
    this.#fact('dropped', dropped.map(([reason, count]) => `${count} (${reason})`).join(', '));
  }

  #stage(name: string, count: number): void {
    const stage = find(`[data-stage="${name}"]`, HTMLElement, this.#panel);
    stage.toggleAttribute('data-some', count > 0);
    write(String(count), 'dd', stage);
  }

  /** A fact that is empty is not shown. */
  #fact(name: string, text: string): void {
    const fact = find(`[data-fact="${name}"]`, HTMLElement, this.#panel);
    fact.hidden = text === '';
    write(text, 'dd', fact);
  }
}

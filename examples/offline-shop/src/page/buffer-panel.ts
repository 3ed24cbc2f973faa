import type { Tracker, TrackerStats } from '@sluice/core';
import { describeBuffer, describeJournal, describeSender } from './buffer-status.ts';
import { find, write } from './elements.ts';
import type { Service } from './service.ts';

/** How often the panel is refreshed while events wait, in milliseconds. */
const EVERY_MS = 150;

/** Shows a tracker's buffer: how many events wait, where, and why. */
export class BufferPanel {
  readonly #tracker: Tracker;
  readonly #panel = find('#buffer', HTMLElement);
  #isFailing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
    const isWide = matchMedia('(min-width: 60rem)').matches;
    find('details', HTMLDetailsElement, this.#panel).open = isWide;
    tracker.on('requestFailed', () => this.#requestEnded(false));
    tracker.on('delivered', () => this.#requestEnded(true));
    for (const name of ['recovered', 'breaker', 'paused', 'resumed', 'dropped', 'storageChanged'] as const) {
      tracker.on(name, () => this.refresh());
    }
    this.refresh();
  }

  /** Shows the present state. Refreshes again and again while events wait. */
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
    // Later, not now: the tracker changes its breaker or its pause only after it has emitted `requestFailed`.
    setTimeout(() => this.refresh());
  }

  #show(stats: TrackerStats): void {
    const { tone, headline, sentence } = describeBuffer(stats, this.#isFailing);
    this.#panel.dataset.tone = tone;
    write(headline, '#buffer-headline');
    write(sentence, '#buffer-sentence');
    this.#stage('memory', stats.unwritten);
    // Events in flight are also on disk until the service has them.
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

  /** Hides a fact whose text is empty. */
  #fact(name: string, text: string): void {
    const fact = find(`[data-fact="${name}"]`, HTMLElement, this.#panel);
    fact.hidden = text === '';
    write(text, 'dd', fact);
  }
}

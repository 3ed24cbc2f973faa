import type { Tracker } from '@sluice/core';
import { find, stamp, write } from './elements.ts';

const MOST_LINES = 6;
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** A list of what happened, the latest first. */
export class ActivityLog {
  readonly #list = find('#log', HTMLOListElement);
  #last = '';
  #times = 0;

  /** @param kind `event`: the shop tracked an event; `good`, `bad`: good or bad news from the tracker. */
  add(kind: 'event' | 'good' | 'bad', text: string): void {
    this.#times = text === this.#last ? this.#times + 1 : 1;
    this.#last = text;
    // A repeated text stays one line, with a count.
    if (this.#times > 1) this.#list.firstElementChild?.remove();
    const line = stamp('log-line');
    line.dataset.kind = kind;
    write(TIME.format(), 'time', line);
    write(this.#times > 1 ? `${text} ×${this.#times}` : text, '.what', line);
    this.#list.prepend(line);
    if (this.#list.children.length > MOST_LINES) this.#list.lastElementChild?.remove();
  }

  /** Adds a line for what a tracker reports. */
  follow(tracker: Tracker): void {
    tracker.on('recovered', ({ count }) => this.add('good', `${count} found from an earlier visit`));
    tracker.on('delivered', ({ count }) => this.add('good', `${count} delivered`));
    tracker.on('resumed', () => this.add('good', 'goes on after a pause'));
    tracker.on('requestFailed', () => this.add('bad', 'a request failed; its events stay'));
    tracker.on('paused', ({ reason }) => this.add('bad', `paused: ${reason}`));
    tracker.on('dropped', ({ count, reason }) => this.add('bad', `${count} dropped: ${reason}`));
    tracker.on('deadLettered', ({ count }) => this.add('bad', `${count} refused for good`));
    tracker.on('storageFailed', ({ error }) => this.add('bad', error.message));
  }
}

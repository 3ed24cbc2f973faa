import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { ScrollTrack } from './scroll-track.ts';

/** Where one is in the list: how far down, and at which row with the keyboard. */
export class ListPosition {
  /** The place of the row that the keyboard is at. */
  readonly active: Signal<number | undefined> = signal(undefined);
  readonly #track = new ScrollTrack();
  readonly #offset = signal(0);
  #scroller: HTMLElement | undefined;

  /** Pixels of the list above what is seen. */
  get offset(): ReadonlySignal<number> {
    return this.#offset;
  }

  /** Height of the element that stands for the whole list. */
  get height(): number {
    return this.#track.height;
  }

  /** Sets the element that scrolls. */
  attach(scroller: HTMLElement): void {
    this.#scroller = scroller;
  }

  /** Sets the heights of the list and of what is seen of it. */
  resize(content: number, view: number): void {
    this.#track.resize(content, view);
  }

  /** The element has been scrolled. */
  scrolled(): void {
    if (this.#scroller === undefined) return;
    this.#track.scrolled(this.#scroller.scrollTop);
    this.#offset.value = this.#track.offset;
  }

  /** The element has not been scrolled for a moment: its scroll bar is put to where one is. */
  rested(): void {
    this.goTo(this.#track.offset);
  }

  goTo(offset: number): void {
    this.#track.goTo(offset);
    this.#offset.value = this.#track.offset;
    const { restingTop } = this.#track;
    if (this.#scroller !== undefined && Math.abs(this.#scroller.scrollTop - restingTop) >= 1) {
      this.#scroller.scrollTop = restingTop;
    }
  }

  /** Goes to the newest, and lets go of the row that the keyboard is at. */
  reset(): void {
    this.active.value = undefined;
    this.goTo(0);
  }
}

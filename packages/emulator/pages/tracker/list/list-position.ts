import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { ScrollTrack } from './scroll-track.ts';

/** The position in the list: how far down it is scrolled, and the row that the keyboard is at. */
export class ListPosition {
  /** The index of the row that the keyboard is at. */
  readonly active: Signal<number | undefined> = signal(undefined);
  readonly #track = new ScrollTrack();
  readonly #offset = signal(0);
  #scroller: HTMLElement | undefined;

  /** Pixels of the list above the part in view. */
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

  /** Sets the height of the list, and of the part in view. */
  resize(content: number, view: number): void {
    this.#track.resize(content, view);
  }

  /** Call it when the element was scrolled. */
  scrolled(): void {
    if (this.#scroller === undefined) return;
    this.#track.scrolled(this.#scroller.scrollTop);
    this.#offset.value = this.#track.offset;
  }

  /** Call it when the element was not scrolled for a moment. It moves the scroll bar to the position in the list. */
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

  /** Goes to the newest row, and leaves the row that the keyboard is at. */
  reset(): void {
    this.active.value = undefined;
    this.goTo(0);
  }
}

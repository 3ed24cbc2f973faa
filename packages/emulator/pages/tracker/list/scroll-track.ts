// Browsers limit how tall an element can be, some of them to 17 million pixels: that is about half a million rows.
const TALLEST = 8_000_000;
// Up to this distance from either end, one pixel of scrolling is one pixel of the list.
const EXACT = 1_000_000;
// A scroll of at most this many screens is a step (wheel, touch). A longer one is a jump (the user drags the scroll bar).
const STEP_SCREENS = 2;

/**
 * The position in a list that may be taller than any element can be. The element is as tall as allowed, and its middle part
 * stands for more pixels than it has. There, the scroll bar jumps to any place, while a small step moves by exactly its own
 * pixels.
 */
export class ScrollTrack {
  #content = 0;
  #view = 0;
  #top = 0;
  #offset = 0;

  /** Pixels of the content above the part in view. */
  get offset(): number {
    return this.#offset;
  }

  /** Height of the element that stands for the content. */
  get height(): number {
    return Math.min(this.#content, TALLEST);
  }

  /** Sets the height of the content, and of the part in view. */
  resize(content: number, view: number): void {
    this.#content = content;
    this.#view = view;
    this.#offset = Math.min(this.#offset, this.#mostOffset);
  }

  /** Call it when the element was scrolled to `top`. */
  scrolled(top: number): void {
    const step = top - this.#top;
    const isStep = Math.abs(step) <= STEP_SCREENS * this.#view && top > 0 && top < this.#mostTop;
    this.#top = top;
    this.#offset = isStep ? this.#clamp(this.#offset + step) : this.#offsetOf(top);
  }

  /** Goes to an offset in the content. */
  goTo(offset: number): void {
    this.#offset = this.#clamp(offset);
    this.#top = this.restingTop;
  }

  /** Where the element should be scrolled to for the current offset. Small steps in the middle part have moved it too far. */
  get restingTop(): number {
    if (this.#offset <= EXACT || this.#content <= TALLEST) return this.#offset;
    const fromEnd = this.#mostOffset - this.#offset;
    if (fromEnd <= EXACT) return this.#mostTop - fromEnd;
    return EXACT + (this.#offset - EXACT) / this.#scale;
  }

  #offsetOf(top: number): number {
    if (top <= EXACT || this.#content <= TALLEST) return this.#clamp(top);
    const fromEnd = this.#mostTop - top;
    if (fromEnd <= EXACT) return this.#clamp(this.#mostOffset - fromEnd);
    return EXACT + (top - EXACT) * this.#scale;
  }

  get #scale(): number {
    return (this.#mostOffset - 2 * EXACT) / (this.#mostTop - 2 * EXACT);
  }

  get #mostOffset(): number {
    return Math.max(0, this.#content - this.#view);
  }

  get #mostTop(): number {
    return Math.max(0, this.height - this.#view);
  }

  #clamp(offset: number): number {
    return Math.min(Math.max(offset, 0), this.#mostOffset);
  }
}

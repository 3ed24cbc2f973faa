// Browsers limit how tall an element can be, some of them to 17 million pixels: half a million rows.
const TALLEST = 8_000_000;
// So far from either end, a pixel stays a pixel.
const EXACT = 1_000_000;
// A scroll of so many screens or less is a step (wheel, touch), a larger one a jump (the scroll bar is dragged).
const STEP_SCREENS = 2;

/**
 * Where one is in a list that may be taller than any element can be. The element is as tall as it can be, and its middle
 * part stands for more than it is: there, the scroll bar jumps to any place, while small steps move by what they say.
 */
export class ScrollTrack {
  #content = 0;
  #view = 0;
  #top = 0;
  #offset = 0;

  /** Pixels of the content above what is seen. */
  get offset(): number {
    return this.#offset;
  }

  /** Height of the element that stands for the content. */
  get height(): number {
    return Math.min(this.#content, TALLEST);
  }

  /** Sets the heights of the content and of what is seen of it. */
  resize(content: number, view: number): void {
    this.#content = content;
    this.#view = view;
    this.#offset = Math.min(this.#offset, this.#mostOffset);
  }

  /** The element has been scrolled to `top`. */
  scrolled(top: number): void {
    const step = top - this.#top;
    const isStep = Math.abs(step) <= STEP_SCREENS * this.#view && top > 0 && top < this.#mostTop;
    this.#top = top;
    this.#offset = isStep ? this.#clamp(this.#offset + step) : this.#offsetOf(top);
  }

  /** Goes to a place of the content. */
  goTo(offset: number): void {
    this.#offset = this.#clamp(offset);
    this.#top = this.restingTop;
  }

  /** Where the element should be scrolled to, for where one is: steps have moved it by more than their share. */
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

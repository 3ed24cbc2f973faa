/** Does one thing after the other, whatever becomes of each. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Does something once all is over that was given before. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** The part of a page that a program writes, between two comments. */
export class Section {
  readonly #begin: string;
  readonly #end: string;

  /** @param command The command that writes it. */
  constructor(command: string) {
    this.#begin = `<!-- written by \`${command}\`: begin -->`;
    this.#end = `<!-- written by \`${command}\`: end -->`;
  }

  /** The section with its comments. */
  around(content: string): string {
    return `${this.#begin}\n\n${content}\n\n${this.#end}`;
  }

  /** The content between the comments of a text. Throws if the text lacks them. */
  read(text: string): string {
    return this.#parts(text).content.trim();
  }

  /** The text with new content between its comments. Throws if the text lacks them. */
  replace(text: string, content: string): string {
    const { before, after } = this.#parts(text);
    return before + this.around(content) + after;
  }

  #parts(text: string): { before: string; content: string; after: string } {
    const begin = text.indexOf(this.#begin);
    const end = text.indexOf(this.#end);
    if (begin < 0 || end < begin)
      throw new Error(`there is no "${this.#begin}" with "${this.#end}" behind it`);
    return {
      before: text.slice(0, begin),
      content: text.slice(begin + this.#begin.length, end),
      after: text.slice(end + this.#end.length),
    };
  }
}

/** In the main README: the figures that are shown there. */
export const README_SECTION: Section = new Section('npm run bench');
/** In benchmarks/results.md: the survival results, which a separate run measures. */
export const SURVIVAL_SECTION: Section = new Section('npm run bench -- --survival');

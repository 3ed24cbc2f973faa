/** The element that a selector finds. Throws where there is none, or one of another kind. */
export function find<Kind extends Element>(
  selector: string,
  kind: new () => Kind,
  within: ParentNode = document,
): Kind {
  const found = within.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`"${selector}" finds no ${kind.name}`);
  return found;
}

/** A copy of what a template of the page holds. */
export function stamp(template: string): HTMLElement {
  const { content } = find(`template#${template}`, HTMLTemplateElement);
  return find('*', HTMLElement, document.importNode(content, true));
}

/** Sets the text of what a selector finds, where it differs. */
export function write(text: string, selector: string, within?: ParentNode): void {
  const element = find(selector, HTMLElement, within);
  if (element.textContent !== text) element.textContent = text;
}

/** Shows one of the drawings. */
export function draw(drawing: string, within: ParentNode): void {
  find('use', SVGUseElement, within).setAttribute('href', `/drawings.svg#${drawing}`);
}

/** Returns the element that a selector finds. Throws if there is none, or if it is of another kind. */
export function find<Kind extends Element>(
  selector: string,
  kind: new () => Kind,
  within: ParentNode = document,
): Kind {
  const found = within.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`"${selector}" finds no ${kind.name}`);
  return found;
}

/** Returns a copy of the first element of a template in the page. */
export function stamp(template: string): HTMLElement {
  const { content } = find(`template#${template}`, HTMLTemplateElement);
  return find('*', HTMLElement, document.importNode(content, true));
}

/** Sets the text of the element that a selector finds, unless it has that text already. */
export function write(text: string, selector: string, within?: ParentNode): void {
  const element = find(selector, HTMLElement, within);
  if (element.textContent !== text) element.textContent = text;
}

/** Shows one of the drawings in drawings.svg. */
export function draw(drawing: string, within: ParentNode): void {
  find('use', SVGUseElement, within).setAttribute('href', `/drawings.svg#${drawing}`);
}

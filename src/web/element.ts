/** Elements made by hand: text goes in as text, so nothing a model says can become markup. */
type Attributes = Readonly<Record<string, string>>;
type Child = Node | string;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Touches the page only when something changed, so that a selection in the text survives. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function setShown(node: HTMLElement, isShown: boolean): void {
  if (node.hidden === isShown) node.hidden = !isShown;
}

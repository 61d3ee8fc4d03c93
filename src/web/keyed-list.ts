/** A list of views that follows a list of values: kept by key, moved when the order changes, updated when the value is another. */
export interface View<Item> {
  readonly node: HTMLElement;
  update(item: Item): void;
}

export interface KeyedList<Item> {
  update(items: readonly Item[]): void;
}

export function createKeyedList<Item>(
  container: HTMLElement,
  keyOf: (item: Item) => string,
  create: (item: Item) => View<Item>,
): KeyedList<Item> {
  let shown = new Map<string, { view: View<Item>; item: Item }>();
  return {
    update(items) {
      const next = new Map<string, { view: View<Item>; item: Item }>();
      let place = container.firstChild;
      for (const item of items) {
        const key = keyOf(item);
        const known = shown.get(key);
        const view = known?.view ?? create(item);
        // The fold makes a new value for everything that changed, and only for that.
        if (known?.item !== item) view.update(item);
        next.set(key, { view, item });
        if (place === view.node) place = place.nextSibling;
        else container.insertBefore(view.node, place);
      }
      for (const [key, { view }] of shown) if (!next.has(key)) view.node.remove();
      shown = next;
    },
  };
}

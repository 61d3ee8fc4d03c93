/** Text that grows at its end: a delta is added to the node that is there, so long answers cost nothing to extend. */
import { element } from "./element.ts";

export interface TextView {
  readonly node: HTMLElement;
  update(text: string): void;
}

export function createTextView(className: string): TextView {
  const content = document.createTextNode("");
  return {
    node: element("div", { class: className, dir: "auto" }, content),
    update(whole) {
      // Empty lines at either end are how models breathe, not what they say.
      const text = whole.replace(/^\n+/, "").trimEnd();
      const { data } = content;
      if (text === data) return;
      if (text.startsWith(data)) content.appendData(text.slice(data.length));
      else content.data = text;
    },
  };
}

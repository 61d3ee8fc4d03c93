/** Messages that were sent and are not in the session yet, such as those written while offline. */
import { element, setShown } from "./element.ts";

/** What the host takes at once is never shown as waiting. */
const QUIET_MS = 300;

export interface PendingSends {
  readonly node: HTMLElement;
  /** Shows the text until the promise settles. */
  add(text: string, sent: Promise<unknown>): void;
}

export function createPendingSends(): PendingSends {
  const list = element("ul");
  const node = element(
    "section",
    { class: "pending", "aria-label": "Waiting to be sent" },
    element("h2", { class: "fact" }, "Waiting to be sent"),
    list,
  );
  setShown(node, false);
  return {
    node,
    add(text, sent) {
      const item = element("li", { dir: "auto" }, text);
      const timer = setTimeout(() => {
        list.append(item);
        setShown(node, true);
      }, QUIET_MS);
      const remove = (): void => {
        clearTimeout(timer);
        item.remove();
        setShown(node, list.childElementCount > 0);
      };
      sent.then(remove, remove);
    },
  };
}

/** The sessions of the data directory, newest first, and the way to a new one. */
import type { SessionSummary } from "../protocol/index.ts";
import { element, setText } from "./element.ts";
import { createKeyedList, type View } from "./keyed-list.ts";

export interface SessionList {
  readonly node: HTMLElement;
  show(sessions: readonly SessionSummary[], currentId: string | undefined): void;
}

interface Row {
  readonly summary: SessionSummary;
  readonly isCurrent: boolean;
}

export function createSessionList(on: { onOpen: (sessionId: string) => void; onNew: () => void }): SessionList {
  const fresh = element("button", { class: "new-session", type: "button" }, "New session");
  const rows = element("ul");
  const node = element("nav", { class: "sessions", "aria-label": "Sessions" }, fresh, rows);
  const list = createKeyedList<Row>(
    rows,
    ({ summary }) => summary.sessionId,
    ({ summary }) => createRow(() => on.onOpen(summary.sessionId)),
  );
  fresh.addEventListener("click", () => on.onNew());
  return {
    node,
    show(sessions, currentId) {
      const shown = sessions
        .filter((one) => !one.archived || one.sessionId === currentId)
        .toSorted((a, b) => b.updatedTs - a.updatedTs);
      list.update(shown.map((summary) => ({ summary, isCurrent: summary.sessionId === currentId })));
    },
  };
}

function createRow(onOpen: () => void): View<Row> {
  const title = element("span", { class: "row-title", dir: "auto" });
  const fact = element("span", { class: "fact" });
  const button = element("button", { type: "button" }, title, fact);
  button.addEventListener("click", onOpen);
  return {
    node: element("li", {}, button),
    update({ summary, isCurrent }) {
      setText(title, summary.title === "" ? "Untitled" : summary.title);
      const state = summary.status === "idle" ? "" : `${summary.status} · `;
      setText(fact, `${state}${when(summary.updatedTs)}`);
      button.dataset["status"] = summary.status;
      button.setAttribute("aria-current", String(isCurrent));
      button.title = summary.cwd;
    },
  };
}

function when(ts: number): string {
  const date = new Date(ts);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short" });
}

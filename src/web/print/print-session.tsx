/**
 * Prints the whole session. The conversation renders only what is near the view, so the same views render all of it
 * once for the printer, page by page; only the elements are kept.
 */
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { PAGE_SIZE, withPage, type Transcript } from "../../transcript/index.ts";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { MessageRow } from "../conversation/message-row.tsx";
import { createReplayStore } from "../replay/replay-store.ts";
import type { PageStore } from "../store/page-store.ts";
import { StoreContext } from "../store/use-store.ts";
import { formatDateTime } from "../format/units.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { checkMessageCount, countElements } from "./print-limits.ts";

/** From this length on, a notice says that printing is being prepared. */
const LONG_MESSAGES = 500;

/** Left out on paper: a long session has a million nodes, and the printer lays them all out at once. */
const NOT_PRINTED = ".actions, .copy, .unseen, .live, [hidden]";

let isPreparing = false;

/**
 * Rejects with a message when there is nothing to print, or too much. A second call during preparation does nothing.
 */
export async function printSession(store: PageStore): Promise<void> {
  if (isPreparing) return;
  isPreparing = true;
  try {
    await prepareAndPrint(store);
  } finally {
    isPreparing = false;
  }
}

async function prepareAndPrint(store: PageStore): Promise<void> {
  const { transcript, sessionId } = store.getState();
  if (transcript === undefined || sessionId === undefined) throw new Error("There is no session to print yet.");
  const { title, messageCount } = transcript.head;
  checkMessageCount(messageCount);
  if (messageCount > LONG_MESSAGES) store.notify("Preparing the whole session for the printer…");
  await loadMarkdown();
  const paper = document.createElement("div");
  paper.className = "paper";
  const heading = document.createElement("h1");
  heading.dir = "auto";
  heading.textContent = title === "" ? "Untitled" : inPlainSight(title);
  const printed = document.createElement("p");
  printed.className = "fact";
  printed.textContent = `Printed ${formatDateTime(Date.now())}`;
  paper.append(heading, printed);
  await renderRows(store, transcript, sessionId, paper);
  // A browser without an `afterprint` event leaves the previous copy behind.
  document.querySelector(".paper")?.remove();
  document.body.append(paper);
  addEventListener("afterprint", () => paper.remove(), { once: true });
  window.print();
}

async function renderRows(store: PageStore, base: Transcript, sessionId: string, paper: HTMLElement): Promise<void> {
  const { messageCount } = base.head;
  const replay = createReplayStore(store);
  const stage = document.createElement("div");
  const root = createRoot(stage);
  const add = countElements();
  const pages = loadNeighbours(base, (page) => store.client.page(sessionId, page));
  try {
    for (let from = 0; from < messageCount; from += PAGE_SIZE) {
      replay.show(await pages(from / PAGE_SIZE));
      const length = Math.min(PAGE_SIZE, messageCount - from);
      flushSync(() =>
        root.render(
          <StoreContext key={from} value={replay.store}>
            {Array.from({ length }, (_, at) => (
              <div key={at} className="row">
                <MessageRow position={from + at} />
              </div>
            ))}
          </StoreContext>,
        ),
      );
      const rows = stage.cloneNode(true) as HTMLElement;
      for (const node of rows.querySelectorAll(NOT_PRINTED)) node.remove();
      add(rows.querySelectorAll("*").length);
      paper.append(...rows.childNodes);
      // Yields to the browser: loaded pages would otherwise follow one another without a frame, and the page would
      // freeze.
      await new Promise((resolve) => setTimeout(resolve));
    }
  } finally {
    root.unmount();
  }
}

/**
 * The transcript with a page and its neighbours: turns shown side by side may begin in one page and end in the next.
 */
function loadNeighbours(
  base: Transcript,
  read: (page: number) => ReturnType<PageStore["client"]["page"]>,
): (page: number) => Promise<Transcript> {
  const known = new Map<number, Awaited<ReturnType<typeof read>>>();
  return async (page) => {
    let whole = base;
    for (const at of known.keys()) if (at < page - 1) known.delete(at);
    for (const at of [page - 1, page, page + 1]) {
      if (at < 0 || at >= base.frozen.length || base.frozen[at] !== undefined) continue;
      const content = known.get(at) ?? (await read(at));
      known.set(at, content);
      whole = withPage(whole, at, content);
    }
    return whole;
  };
}

/**
 * Prints the whole session. The conversation renders only what is near the view, so the same views render all of it
 * once for the printer.
 */
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { withPage, type Transcript } from "../../transcript/index.ts";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { MessageRow } from "../conversation/message-row.tsx";
import { createReplayStore } from "../replay/replay-store.ts";
import type { PageStore } from "../store/page-store.ts";
import { StoreContext, useHead } from "../store/use-store.ts";
import { formatDateTime } from "../format/units.ts";
import { inPlainSight } from "../format/plain-sight.ts";

/** More than a browser can lay out in reasonable time. */
const MESSAGES_MAX = 5_000;

/** Rejects with a message when there is nothing to print, or too much. */
export async function printSession(store: PageStore): Promise<void> {
  const replay = createReplayStore(store);
  replay.show(await wholeTranscript(store));
  await loadMarkdown();
  const paper = document.createElement("div");
  paper.className = "paper";
  const root = createRoot(paper);
  flushSync(() =>
    root.render(
      <StoreContext value={replay.store}>
        <PrintedSession />
      </StoreContext>,
    ),
  );
  document.body.append(paper);
  addEventListener(
    "afterprint",
    () => {
      root.unmount();
      paper.remove();
    },
    { once: true },
  );
  window.print();
}

async function wholeTranscript(store: PageStore): Promise<Transcript> {
  const { transcript, sessionId } = store.getState();
  if (transcript === undefined || sessionId === undefined) throw new Error("There is no session to print yet.");
  const { messageCount } = transcript.head;
  if (messageCount > MESSAGES_MAX) {
    throw new Error(
      `This session has ${messageCount.toLocaleString("en")} messages, too many to print. Use /export html.`,
    );
  }
  let whole = transcript;
  for (const [page, known] of transcript.frozen.entries()) {
    if (known === undefined) whole = withPage(whole, page, await store.client.page(sessionId, page));
  }
  return whole;
}

function PrintedSession() {
  const title = useHead((head) => head.title) ?? "";
  const count = useHead((head) => head.messageCount) ?? 0;
  return (
    <>
      <h1 dir="auto">{title === "" ? "Untitled" : inPlainSight(title)}</h1>
      <p className="fact">Printed {formatDateTime(Date.now())}</p>
      {Array.from({ length: count }, (_, position) => (
        <div key={position} className="row">
          <MessageRow position={position} />
        </div>
      ))}
    </>
  );
}

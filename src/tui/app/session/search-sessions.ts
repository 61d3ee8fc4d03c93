/** The search over all sessions, and jumping to a hit. */
import type { SearchHit } from "../../../protocol/index.ts";
import { createSearchOverlay } from "../../overlays/lists/search-overlay.ts";
import type { AppContext } from "../app-context.ts";

export function showSearch(app: AppContext, query: string): void {
  app.overlays.show((close) =>
    createSearchOverlay(app.surface, {
      query,
      search: (query) => app.conversation.search(query),
      clock: app.clock,
      currentId: app.sessionId,
      requestRender: () => app.requestRender(),
      onPick: (hit) => {
        close();
        void jumpTo(app, hit).catch((error: unknown) => app.fail(error));
      },
      onClose: close,
    }),
  );
}

async function jumpTo(app: AppContext, { sessionId, seq }: SearchHit): Promise<void> {
  if (sessionId !== app.sessionId) await app.openSession(sessionId);
  const position = await app.conversation.positionOf(seq);
  // Another session was opened meanwhile.
  if (sessionId !== app.sessionId) return;
  const { transcript } = app;
  if (transcript === undefined || position === undefined) return app.notify("The place could not be read.", "warn");
  if (seq <= transcript.head.clearedSeq) {
    return app.notify("It was said before this session was cleared; `roundtable sessions show` prints it.", "warn");
  }
  // The log may not have rendered this session yet.
  app.log.show(transcript);
  app.log.goTo({ key: position, offset: 0 });
}

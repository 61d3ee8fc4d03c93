/** The page of a subagent: its turn, and below it the turns of its own subagents. */
import { useEffect, useMemo, useRef, useState } from "react";
import { messageAt, PAGE_SIZE, subagentsBelow, type TurnMessage } from "../../transcript/index.ts";
import { focusDraft } from "../input/focus.ts";
import { MemberName } from "../members/member-name.tsx";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { MessageRow } from "./message-row.tsx";

/** Pages fetched after the first; later ones load when the conversation is scrolled there. */
const PAGES_AFTER = 2;

export function AgentPage({ seq }: { seq: number }) {
  const store = useStore();
  const position = usePosition(seq);
  const turn = useApp(({ transcript }) =>
    transcript === undefined || typeof position !== "number" ? undefined : turnAt(messageAt(transcript, position)),
  );
  const below = useBelow(turn?.turnId);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // The link that led here is gone, and the focus with it.
    if (document.activeElement === document.body) section.current?.focus({ preventScroll: true });
  }, []);
  const leave = (target: { seq?: number } = {}): void => {
    const { sessionId } = store.getState();
    if (sessionId === undefined) return;
    store.goTo({ sessionId, ...target });
    focusDraft();
  };
  return (
    <section ref={section} className="scroller agent-page" tabIndex={0} aria-label="Subagent">
      <nav className="agent-trail" aria-label="Path to this subagent">
        <button type="button" className="btn sm quiet" onClick={() => leave()}>
          ← Conversation
        </button>
        {turn === undefined ? null : <Trail turn={turn} />}
        {turn === undefined ? null : (
          <button type="button" className="btn sm quiet" onClick={() => leave({ seq: turn.seq })}>
            Show in the conversation
          </button>
        )}
      </nav>
      {turn === undefined ? (
        <p className="hint" role="status">
          {position === "none" ? "This turn isn't in the session." : "Loading…"}
        </p>
      ) : (
        <div className="agent-turns" role="log" aria-label="What the subagent did" aria-live="off">
          {[turn.position, ...below].map((one) => (
            <div key={one} className="row">
              <MessageRow position={one} />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

/** The chain of parents from the outermost turn; each but the last is a link. */
function Trail({ turn }: { turn: TurnMessage }) {
  const store = useStore();
  const parent = useApp(({ transcript }) => {
    if (transcript === undefined || turn.parentTurnId === undefined) return undefined;
    for (let position = turn.position - 1; position >= 0; position -= 1) {
      const message = messageAt(transcript, position);
      if (message === undefined) return undefined;
      if (message.kind === "turn" && message.turnId === turn.parentTurnId) return message;
    }
    return undefined;
  });
  if (parent === undefined) return null;
  const open = (): void => {
    const { sessionId } = store.getState();
    if (sessionId === undefined) return;
    store.goTo({ sessionId, seq: parent.seq, ...(parent.depth > 0 ? { view: "agent" as const } : {}) });
  };
  return (
    <span className="fact">
      sent by{" "}
      <button type="button" className="btn sm quiet" onClick={open}>
        <MemberName name={parent.member} />
      </button>
    </span>
  );
}

function turnAt(message: ReturnType<typeof messageAt>): TurnMessage | undefined {
  return message?.kind === "turn" ? message : undefined;
}

/** Undefined until it is known. */
function usePosition(seq: number): number | "none" | undefined {
  const store = useStore();
  const isThere = useApp(({ transcript }) => transcript !== undefined);
  const [position, setPosition] = useState<number | "none">();
  useEffect(() => {
    if (!isThere) return undefined;
    let isLeft = false;
    void store.guarded(async () => {
      const target = await store.positionOf(seq);
      if (target === undefined) return isLeft ? undefined : setPosition("none");
      const first = Math.floor(target / PAGE_SIZE);
      const pages = Array.from({ length: PAGES_AFTER + 1 }, (_, at) => first + at);
      await Promise.all(pages.map((page) => store.loadPage(page)));
      const { transcript } = store.getState();
      const message = transcript === undefined ? undefined : messageAt(transcript, target);
      if (!isLeft) setPosition(message?.kind === "turn" && message.seq === seq ? target : "none");
    });
    return () => {
      isLeft = true;
    };
  }, [store, seq, isThere]);
  return position;
}

/** Evaluated again on new messages and pages. */
function useBelow(turnId: string | undefined): readonly number[] {
  const store = useStore();
  const count = useHead((head) => head.messageCount);
  const frozen = useApp((state) => state.transcript?.frozen);
  return useMemo(
    () => {
      const { transcript } = store.getState();
      if (transcript === undefined || turnId === undefined) return [];
      return subagentsBelow(transcript, turnId).map((turn) => turn.position);
    },
    // oxlint-disable-next-line react/exhaustive-deps -- a message or a page more is another list.
    [store, turnId, count, frozen],
  );
}

/**
 * Requests of agents, oldest first: one card at a time with the number waiting. A card never takes the focus: digits
 * answer it while it has the focus. Requests settled elsewhere are announced briefly.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { createRequestQueue } from "../../client/index.ts";
import { describeRequest, turnById, type OpenRequest } from "../../transcript/index.ts";
import { withEllipsis } from "../../kit/text/format.ts";
import { seenAsOf } from "../conversation/messages/author.ts";
import { focusDraft } from "../input/focus.ts";
import type { AppState } from "../store/app-state.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { formatAnswerer, nameClient, formatRequestOutcome } from "../format/format-request.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { type GivenAnswer, RequestCard } from "./request-card.tsx";

const NOTE_MS = 10_000;
/** Length of the subject in announcements. */
const WHAT_CHARS_MAX = 80;
const NONE: readonly OpenRequest[] = [];

export function RequestDeck() {
  const store = useStore();
  const { front, waiting, isReady, accepts, onUnhandledKey, note } = useDeck();
  const card = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  const frontId = front?.requestId;
  // A card with the focus passes it to the next card, else to the draft.
  useLayoutEffect(() => {
    if (!hadFocus.current) return;
    hadFocus.current = false;
    if (card.current === null) focusDraft();
    else card.current.focus();
  }, [frontId]);

  async function answer(given: GivenAnswer): Promise<void> {
    const by = nameClient("browser", store.client.clientId);
    await store.command({ type: "answer", by, ...given });
  }

  return (
    <section
      className="requests"
      aria-label="Requests"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        // Escape returns to the draft here; interrupting needs an Escape meant for the turn.
        event.stopPropagation();
        focusDraft();
      }}
    >
      <p className="unseen" aria-live="polite">
        {front === undefined ? "" : announced(front)}
      </p>
      {front === undefined ? null : (
        <RequestCard
          key={front.requestId}
          cardRef={card}
          open={front}
          waiting={waiting}
          isReady={isReady}
          accepts={accepts}
          onUnhandledKey={onUnhandledKey}
          onAnswer={answer}
          onGone={(gone) => (hadFocus.current = gone.hadFocus)}
        />
      )}
      <p className="fact">{waiting === 0 ? "" : `${waiting} more waiting`}</p>
      <p className="request-note" aria-live="polite">
        {note}
      </p>
    </section>
  );
}

function announced(request: OpenRequest): string {
  const { heading, what } = describeRequest(request);
  return inPlainSight(`${heading}: ${withEllipsis(what, WHAT_CHARS_MAX)}`);
}

interface Deck {
  readonly front: OpenRequest | undefined;
  readonly waiting: number;
  readonly isReady: boolean;
  readonly accepts: (requestId: string) => boolean;
  readonly onUnhandledKey: (key: string) => void;
  readonly note: string;
}

function useDeck(): Deck {
  const store = useStore();
  const isHidden = useIsHidden();
  const requests = useApp(({ transcript }) => transcript?.head.requests ?? NONE);
  const sessionId = useApp((state) => state.sessionId);
  const [queue] = useState(() => createRequestQueue<OpenRequest>({ now: () => performance.now() }));
  const [front, setFront] = useState<OpenRequest>();
  const [waiting, setWaiting] = useState(0);
  const [readyId, setReadyId] = useState<string>();
  const wasHidden = useRef(false);
  const [graces, setGraces] = useState(0);
  const [note, showNote] = useNote();
  const shown = useRef<{ sessionId: string | undefined; requests: readonly OpenRequest[] }>({
    sessionId,
    requests: NONE,
  });

  useLayoutEffect(() => {
    // The reading delay of a request starts when it is visible.
    if (isHidden) {
      wasHidden.current = true;
      return;
    }
    if (wasHidden.current) {
      wasHidden.current = false;
      queue.shownAgain();
      setGraces((before) => before + 1);
    }
    const before = shown.current;
    shown.current = { sessionId, requests };
    if (before.sessionId === sessionId) {
      const state = store.getState();
      for (const gone of before.requests) {
        if (!requests.includes(gone)) showNote(describeOutcome(gone, state, store.client.clientId));
      }
    }
    queue.update(requests);
    setFront(queue.current());
    setWaiting(queue.waiting());
  }, [isHidden, requests, sessionId, queue, store, showNote]);

  const frontId = front?.requestId;
  useEffect(() => {
    if (frontId === undefined) return undefined;
    setReadyId(queue.graceLeftMs() === 0 ? frontId : undefined);
    const timer = setTimeout(() => setReadyId(frontId), queue.graceLeftMs());
    return () => clearTimeout(timer);
  }, [frontId, queue, graces]);

  const onUnhandledKey = (key: string): void => {
    queue.onUnhandledKey(key);
    setGraces((before) => before + 1);
  };
  const isReady = readyId === frontId;
  return { front, waiting, isReady, accepts: (id) => queue.acceptsAnswer(id), onUnhandledKey, note };
}

/** Empty when this client answered. */
function describeOutcome(request: OpenRequest, state: AppState, clientId: string): string {
  const { requestId, turnId } = request;
  const { transcript } = state;
  const turn = transcript === undefined || turnId === undefined ? undefined : turnById(transcript, turnId);
  const block = turn?.blocks.find((one) => one.kind === "request" && one.requestId === requestId);
  const { what } = describeRequest(request);
  const label = `${request.member}: ${withEllipsis(what, WHAT_CHARS_MAX)}`;
  if (block?.kind !== "request") return inPlainSight(`${label} · settled`);
  if (block.answer?.clientId === clientId) return "";
  const who = formatAnswerer(block, seenAsOf(state));
  return inPlainSight(`${label} · ${formatRequestOutcome(block)}${who === "" ? "" : ` · by ${who}`}`);
}

function useNote(): [note: string, tell: (text: string) => void] {
  const [note, setNote] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [showNote] = useState(() => (text: string) => {
    if (text === "") return;
    clearTimeout(timer.current);
    setNote(text);
    timer.current = setTimeout(() => setNote(""), NOTE_MS);
  });
  return [note, showNote];
}

function useIsHidden(): boolean {
  const [isHidden, setHidden] = useState(() => document.hidden);
  useEffect(() => {
    // At once: a key that follows must not find the card as it was before.
    const listener = (): void => flushSync(() => setHidden(document.hidden));
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  }, []);
  return isHidden;
}

/**
 * What agents ask, oldest first: one card at a time, and how many wait. A card never takes the focus: numbers answer it
 * while the focus is on it or on nothing that takes text. What somebody else settled is said for a moment.
 */
import { createRequestQueue, type RequestQueue } from "../client/index.ts";
import { turnById, type OpenRequest, type Transcript } from "../transcript/index.ts";
import { element, setText } from "./element.ts";
import { createRequestCard, type GivenAnswer, type RequestCard } from "./request-card.ts";
import { settledWords } from "./request-words.ts";

const NOTE_MS = 10_000;
const TICK_MS = 1_000;

export interface RequestDeck {
  readonly node: HTMLElement;
  /** Undefined for a session that does not exist yet. */
  show(transcript: Transcript | undefined): void;
}

export interface RequestDeckOptions {
  readonly clientId: string;
  /** Rejects with a sentence for the person when the answer was not taken. */
  readonly onAnswer: (answer: GivenAnswer) => Promise<void>;
  /** The card that had the focus is gone, or Escape was pressed on it. */
  readonly onLeave: () => void;
}

export function createRequestDeck({ clientId, onAnswer, onLeave }: RequestDeckOptions): RequestDeck {
  const queue = createRequestQueue<OpenRequest>({ now: () => performance.now() });
  const place = element("div");
  const waiting = element("p", { class: "fact" });
  const announcement = element("p", { class: "unseen", "aria-live": "polite" });
  const note = createPassingNote();
  const node = element(
    "section",
    { class: "requests", "aria-label": "Requests" },
    announcement,
    place,
    waiting,
    note.node,
  );
  let latest: Transcript | undefined;
  let shown: readonly OpenRequest[] = [];
  let shownId: string | undefined;
  let card: RequestCard | undefined;

  function draw(): void {
    // The grace of a request begins when somebody can see it.
    if (document.hidden) return;
    const requests = latest?.head.requests ?? [];
    const isOther = latest?.head.sessionId !== shownId;
    if (!isOther && requests === shown) return;
    if (!isOther) for (const gone of shown) if (!requests.includes(gone)) note.tell(fateOf(gone, latest, clientId));
    shownId = latest?.head.sessionId;
    shown = requests;
    queue.update(requests);
    const front = queue.current();
    if (front?.requestId !== card?.requestId) replaceCard(front);
    const more = queue.waiting();
    setText(waiting, more === 0 ? "" : `${more} more ${more === 1 ? "request waits" : "requests wait"}`);
  }

  function replaceCard(front: OpenRequest | undefined): void {
    const hadFocus = card?.node.contains(document.activeElement) ?? false;
    card = front === undefined ? undefined : openCard(front, { queue, onAnswer });
    setText(announcement, front === undefined ? "" : `${front.member} asks: ${front.request.title}`);
    place.replaceChildren(...(card === undefined ? [] : [card.node]));
    if (!hadFocus) return;
    if (card === undefined) onLeave();
    else card.node.focus();
  }

  setInterval(() => card?.tick(Date.now()), TICK_MS);
  document.addEventListener("visibilitychange", draw);
  listenForNumbers((number) => card?.choose(number));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    // Here it leads back to the draft; interrupting takes an Escape that is meant for the turn.
    event.stopPropagation();
    onLeave();
  });
  return {
    node,
    show(transcript) {
      latest = transcript;
      draw();
    },
  };
}

function openCard(
  front: OpenRequest,
  { queue, onAnswer }: Pick<RequestDeckOptions, "onAnswer"> & { queue: RequestQueue<OpenRequest> },
): RequestCard {
  const card = createRequestCard(front, { accepts: () => queue.acceptsAnswer(front.requestId), onAnswer });
  const graceMs = queue.graceLeftMs();
  card.setReady(graceMs === 0);
  if (graceMs > 0) setTimeout(() => card.setReady(true), graceMs);
  card.tick(Date.now());
  return card;
}

/** Empty when it was this client that answered. */
function fateOf(request: OpenRequest, transcript: Transcript | undefined, clientId: string): string {
  const { requestId, turnId } = request;
  const turn = transcript === undefined || turnId === undefined ? undefined : turnById(transcript, turnId);
  const block = turn?.blocks.find((one) => one.kind === "request" && one.requestId === requestId);
  if (block?.kind !== "request") return `“${request.request.title}” was settled.`;
  return block.answer?.clientId === clientId ? "" : `“${request.request.title}” · ${settledWords(block)}`;
}

function createPassingNote(): { readonly node: HTMLElement; tell(words: string): void } {
  const node = element("p", { class: "note", "aria-live": "polite" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    node,
    tell(words) {
      if (words === "") return;
      clearTimeout(timer);
      setText(node, words);
      timer = setTimeout(() => setText(node, ""), NOTE_MS);
    },
  };
}

/** Never one that is being written, and never the same press twice. */
function listenForNumbers(onNumber: (number: number) => void): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
    if (/^[1-9]$/.test(event.key)) onNumber(Number(event.key));
  });
}

function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target instanceof HTMLTextAreaElement;
}

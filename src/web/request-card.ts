/** One request: who asks, what exactly, and the ways to answer. Nothing is sent while it is deaf or already answering. */
import { safeDefault, type Json, type UiRequestBody } from "../protocol/index.ts";
import type { OpenRequest } from "../transcript/index.ts";
import { createAnswerForm } from "./answer-form.ts";
import { element, setShown, setText } from "./element.ts";
import { memberHue } from "./member-hue.ts";
import { seconds } from "./words.ts";

export interface GivenAnswer {
  readonly requestId: string;
  readonly result: Json;
  readonly error?: string;
}

export interface RequestCard {
  readonly node: HTMLElement;
  readonly requestId: string;
  choose(number: number): void;
  /** Dims the card while it takes no answer. */
  setReady(isReady: boolean): void;
  /** How long it will wait still. */
  tick(nowTs: number): void;
}

export interface RequestCardOptions {
  readonly accepts: () => boolean;
  /** Rejects with a sentence for the person when the answer was not taken. */
  readonly onAnswer: (answer: GivenAnswer) => Promise<void>;
}

export function createRequestCard(open: OpenRequest, { accepts, onAnswer }: RequestCardOptions): RequestCard {
  const { requestId, request, member } = open;
  const left = element("span", { class: "fact left" });
  const problem = element("p", { class: "problem", "aria-live": "assertive" });
  const form = createAnswerForm(request, (result) => void give({ requestId, result }));
  const dismiss = element("button", { type: "button", class: "quiet" }, "Dismiss");
  const title = element("h2", { dir: "auto" }, request.title);
  const node = element(
    "section",
    { class: "request", tabindex: "-1", role: "group", "aria-label": `${member} asks: ${request.title}` },
    element(
      "header",
      {},
      element("span", { class: "speaker" }, member),
      element("span", { class: "fact" }, ASKS[request.method]),
      left,
      dismiss,
    ),
    title,
    ...detailsOf(request),
    form.node,
    problem,
  );
  node.dataset["hue"] = String(memberHue(member));
  node.dataset["method"] = request.method;
  dismiss.addEventListener("click", () => {
    void give({ requestId, result: safeDefault(request.method), error: "dismissed" });
  });
  let isAnswering = false;
  setShown(problem, false);

  async function give(answer: GivenAnswer): Promise<void> {
    if (isAnswering || !accepts()) return;
    isAnswering = true;
    node.setAttribute("aria-busy", "true");
    setShown(problem, false);
    try {
      await onAnswer(answer);
    } catch (error) {
      // The answer was not taken: the request may still be open, and then it can be answered again.
      isAnswering = false;
      node.setAttribute("aria-busy", "false");
      setText(problem, error instanceof Error ? error.message : String(error));
      setShown(problem, true);
    }
  }

  return {
    node,
    requestId,
    choose: (number) => form.choose(number),
    setReady: (isReady) => (node.dataset["ready"] = String(isReady)),
    tick: (nowTs) => setText(left, leftWords(open, nowTs)),
  };
}

const ASKS: Record<UiRequestBody["method"], string> = {
  approval: "asks for approval",
  confirm: "asks yes or no",
  select: "asks to choose",
  input: "asks for a line",
  editor: "asks for a text",
  question: "asks",
};

/** What is approved is shown whole, in the words that will run. */
function detailsOf(request: UiRequestBody): HTMLElement[] {
  if (request.method === "confirm") return [element("p", { class: "text", dir: "auto" }, request.message)];
  if (request.method !== "approval") return [];
  const call = element(
    "pre",
    { class: "call", tabindex: "0", "aria-label": `${request.tool} would run` },
    element("span", { class: "fact" }, `${request.tool}\n`),
    request.call,
  );
  if (request.diff === undefined || request.diff === "") return [call];
  return [call, element("pre", { class: "diff", tabindex: "0", "aria-label": "Change" }, ...diffLines(request.diff))];
}

function diffLines(diff: string): HTMLElement[] {
  const lines = diff.trimEnd().split("\n");
  return lines.map((line) => {
    const kind = /^\+(?!\+\+ )/.test(line) ? "added" : /^-(?!-- )/.test(line) ? "removed" : "kept";
    return element("span", { class: kind }, `${line}\n`);
  });
}

function leftWords({ ts, timeoutMs, request }: OpenRequest, nowTs: number): string {
  const leftMs = Math.min(timeoutMs, Math.max(0, ts + timeoutMs - nowTs));
  const taken = safeDefault(request.method) === false ? "refused" : "declined";
  return `${taken} by itself in ${leftMs < 60_000 ? seconds(Math.ceil(leftMs / 1000) * 1000) : minutes(leftMs)}`;
}

function minutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)} min`;
}

/**
 * Maps user requests to the wire's four overlays and their answers back. An approval is a choice that shows the exact
 * call; questions are asked in sequence, and the request is answered once all are.
 */
import { cancelledAnswer, safeDefault, type Json } from "../../../src/protocol/index.ts";
import type { OpenRequest } from "../../../src/transcript/index.ts";
import { createDialogue } from "./dialogues.ts";
import type { Dialogue, Overlay } from "./overlay-forms.ts";
import { drawable } from "./overlay-text.ts";
import { noticeLines } from "./signals.ts";
import type { Line } from "./wire-event.ts";

export interface Answer {
  readonly sessionId: string;
  readonly requestId: string;
  readonly result: Json;
  readonly error: string | null;
}

/** Result of a `ui_response`: lines for the client, an answer for the session, or an error message. */
export interface Responded {
  readonly lines: readonly Line[];
  readonly answer?: Answer;
  readonly problem?: string;
}

interface Shown {
  readonly id: string;
  readonly sessionId: string;
  readonly request: OpenRequest;
  readonly dialogue: Dialogue;
  readonly overlay: Overlay;
}

/** Cancelled overlays, which screens without support for that may still show. */
const GONE_MAX = 256;

export class OverlayController {
  readonly #shown = new Map<string, Shown>();
  readonly #gone = new Set<string>();

  open(sessionId: string, request: OpenRequest): Line[] {
    const dialogue = createDialogue(request);
    return this.#show({ id: request.requestId, sessionId, request, dialogue, overlay: dialogue.first });
  }

  /** Closes the overlay: answered elsewhere, timed out, or the turn was stopped. */
  cancel(requestId: string, reason: string): Line[] {
    const shown = [...this.#shown.values()].find((one) => one.request.requestId === requestId);
    if (shown === undefined) return [];
    this.#shown.delete(shown.id);
    this.#gone.add(shown.id);
    for (const id of this.#gone) {
      if (this.#gone.size <= GONE_MAX) break;
      this.#gone.delete(id);
    }
    return [{ type: "ui_cancel", id: shown.id, reason, session_id: shown.sessionId }];
  }

  respond(frame: Readonly<Record<string, Json>>): Responded {
    const { id } = frame;
    const shown = typeof id === "string" ? this.#shown.get(id) : undefined;
    const { result = null, error = null } = frame;
    if (shown === undefined) {
      // Closing a cancelled overlay needs no reply.
      const isClosing = error !== null || result === null || result === false;
      if (typeof id === "string" && this.#gone.delete(id) && isClosing) return { lines: [] };
      return problem(`ui_response: no request ${JSON.stringify(id ?? null)} is open`);
    }
    if (!("result" in frame) && !("error" in frame)) return problem("ui_response: invalid response");
    if (error !== null) return this.#answer(shown, null, typeof error === "string" ? error : JSON.stringify(error));
    if (result === null) return this.#answer(shown, cancelledAnswer(shown.request.request.method), null);
    const step = shown.dialogue.submit(shown.overlay, result);
    if ("problem" in step) return problem(`ui_response: ${step.problem}`);
    if ("result" in step) return this.#answer(shown, step.result, null);
    this.#shown.delete(shown.id);
    return { lines: this.#show({ ...shown, id: `${shown.request.requestId}:${step.number}`, overlay: step.overlay }) };
  }

  #answer(shown: Shown, result: Json, error: string | null): Responded {
    this.#shown.delete(shown.id);
    const { sessionId, request } = shown;
    const answered = error === null ? result : safeDefault(request.request.method);
    return { lines: [], answer: { sessionId, requestId: request.requestId, result: answered, error } };
  }

  #show(shown: Shown): Line[] {
    this.#shown.set(shown.id, shown);
    const { id, sessionId, overlay, request } = shown;
    const { overlay: drawn, whole } = drawable(overlay);
    const { method, params } = drawn;
    const { member, timeoutMs: timeout_ms } = request;
    const requestLine: Line = { type: "ui_request", id, method, params, session_id: sessionId, member, timeout_ms };
    return whole === undefined ? [requestLine] : [...noticeLines(sessionId, whole), requestLine];
  }
}

function problem(sentence: string): Responded {
  return { lines: [], problem: sentence };
}

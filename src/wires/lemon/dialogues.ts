/** How one request becomes overlays: one for most, several in a row for questions. */
import type { Json, UiRequestBody } from "../../protocol/index.ts";
import type { OpenRequest } from "../../transcript/index.ts";
import { createQuestionnaire } from "./questionnaire.ts";

export interface Option {
  readonly label: string;
  readonly value: string;
  readonly description: string | null;
}

export type Overlay =
  | { readonly method: "select"; readonly params: { title: string; options: readonly Option[]; opts: Opts } }
  | { readonly method: "confirm"; readonly params: { title: string; message: string; opts: Opts } }
  | { readonly method: "input"; readonly params: { title: string; placeholder: string | null; opts: Opts } }
  | { readonly method: "editor"; readonly params: { title: string; prefill: string | null; opts: Opts } };

export type Opts = Readonly<Record<string, Json>>;

/** After an answer: the result of the whole, the next overlay, or why the answer does not fit. */
export type Step =
  | { readonly result: Json }
  | { readonly overlay: Overlay; readonly number: number }
  | { readonly problem: string };

export interface Dialogue {
  readonly first: Overlay;
  take(shown: Overlay, answer: Json): Step;
}

export function createDialogue({ request, member }: OpenRequest): Dialogue {
  if (request.method === "question") return createQuestionnaire(request, member);
  const first = overlayOf(request, member);
  return {
    first,
    take(shown, answer) {
      const problem = problemWith(shown, answer);
      return problem === undefined ? { result: answer } : { problem };
    },
  };
}

/** What an answer to this overlay must be; undefined when it is. */
export function problemWith(overlay: Overlay, answer: Json): string | undefined {
  if (overlay.method === "confirm") {
    return typeof answer === "boolean" ? undefined : "a confirmation is answered with true or false";
  }
  if (typeof answer !== "string") return "it is answered with a text, or null to cancel";
  if (overlay.method !== "select") return undefined;
  const values = overlay.params.options.map((option) => option.value);
  return values.includes(answer) ? undefined : `it is answered with one of ${values.join(", ")}, or null to cancel`;
}

type Single = Exclude<UiRequestBody, { method: "question" }>;

function overlayOf(request: Single, member: string): Overlay {
  const { title, opts = {} } = request;
  switch (request.method) {
    case "select":
      return { method: "select", params: { title, options: request.options.map(toOption), opts } };
    case "confirm":
      return { method: "confirm", params: { title, message: request.message, opts } };
    case "input":
      return { method: "input", params: { title, placeholder: request.placeholder ?? null, opts } };
    case "editor":
      return { method: "editor", params: { title, prefill: request.prefill ?? null, opts } };
    case "approval": {
      const { tool, call, callHash, diff } = request;
      const details = { tool, call, call_hash: callHash, ...(diff === undefined ? {} : { diff }) };
      const shown = `${member}: ${title}\n\n${call}`;
      const options = request.options.map(toOption);
      return { method: "select", params: { title: shown, options, opts: { ...opts, ...details } } };
    }
    default:
      return request satisfies never;
  }
}

export function toOption({ label, value, description }: { label: string; value: string; description?: string | undefined }): Option {
  return { label, value, description: description ?? null };
}

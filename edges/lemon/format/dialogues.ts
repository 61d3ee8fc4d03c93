/** Maps a request to overlays: one for most, a sequence for questions. */
import type { UiRequestBody } from "../../../src/protocol/index.ts";
import { type OpenRequest, namedTitle } from "../../../src/transcript/index.ts";
import { problemWith, toOption, type Dialogue, type Overlay } from "./overlay-forms.ts";
import { createQuestionnaire } from "./questionnaire.ts";

export function createDialogue({ request, member }: OpenRequest): Dialogue {
  if (request.method === "question") return createQuestionnaire(request, member);
  const first = overlayOf(request, member);
  return {
    first,
    submit(shown, answer) {
      const problem = problemWith(shown, answer);
      return problem === undefined ? { result: answer } : { problem };
    },
  };
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
      const shown = `${namedTitle(member, title)}\n\n${call}`;
      const options = request.options.map(toOption);
      return { method: "select", params: { title: shown, options, opts: { ...opts, ...details } } };
    }
    default:
      return request satisfies never;
  }
}

import { expect, test } from "vitest";
import type { OpenRequest } from "../../../src/transcript/index.ts";
import { formAnswer, formRequest } from "./forms.ts";

const options = ["red", "blue"].map((value) => ({ label: value.toUpperCase(), value }));
const questions = [
  { id: "one", text: "One?", options, multiple: false, freeText: false },
  { id: "many", text: "Many?", options, multiple: true, freeText: false },
  { id: "free", text: "Free?", options: [], multiple: false, freeText: true },
];
const request = { method: "question", title: "Colours", questions } as const;
const asked = { requestId: "r", member: "ada", seq: 1, ts: 1, timeoutMs: 1, default: null };

test("the questions of a form may be skipped, one or all; any other request needs its field", () => {
  const form = (body: unknown) => formRequest("s", { ...asked, request: body } as OpenRequest);
  expect(form(request)).toMatchObject({ requestedSchema: { required: [] } });
  expect(form({ method: "input", title: "Name?" })).toMatchObject({ requestedSchema: { required: ["answer"] } });
  const answer = (content: Record<string, string | string[]>) =>
    formAnswer({ ...request, questions: [...questions] }, { action: "accept", content });
  expect(answer({ one: "red", many: [], free: "" })).toEqual({ one: "red" });
  expect(answer({ many: ["red", "blue"] })).toEqual({ many: ["red", "blue"] });
  expect(answer({ free: "" })).toBeNull();
  expect(answer({})).toBeNull();
});

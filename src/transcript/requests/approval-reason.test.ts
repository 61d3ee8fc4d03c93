import { expect, test } from "vitest";
import type { UiRequestBody } from "../../protocol/index.ts";
import { describeRequest } from "./describe-request.ts";

test("a request says why no rule answered it", () => {
  const request: UiRequestBody = {
    method: "approval",
    title: "",
    tool: "Bash",
    call: "npm run build > build.log",
    callHash: "4f1d",
    options: [{ label: "Allow once", value: "allow" }],
    opts: { because: "it writes build.log" },
  };
  const { fields, notes } = describeRequest({ member: "qwen", request });
  expect(notes).toEqual([{ name: "Asked because", text: "it writes build.log" }]);
  expect(fields).toEqual([]);
  expect(describeRequest({ member: "qwen", request: { ...request, opts: {} } }).notes).toEqual([]);
});

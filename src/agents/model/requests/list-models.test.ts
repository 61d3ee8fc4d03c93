import { expect, test } from "vitest";
import { parseModels } from "../model-choice.ts";
import { firstForTalk, readModels } from "./list-models.ts";

test("context windows in model lists are read under each server's field name", () => {
  const data = [
    { id: "a", max_model_len: 8_192 },
    { id: "b", context_length: 200_000 },
    { id: "c", meta: { n_ctx: 4_096 } },
    { id: "d", context_length: "many" },
    { name: "no id" },
    null,
  ];
  expect(readModels({ data })).toEqual([
    { id: "a", windowTokens: 8_192 },
    { id: "b", windowTokens: 200_000 },
    { id: "c", windowTokens: 4_096 },
    { id: "d", windowTokens: undefined },
  ]);
  expect([readModels({}), readModels("x"), readModels(null)]).toEqual([[], [], []]);
});

test("a model that cannot chat is not chosen by default", () => {
  const ids = (...names: string[]) => names.map((id) => ({ id, windowTokens: undefined }));
  expect(firstForTalk(ids("nomic-embed-text", "whisper-1", "qwen3"))).toBe("qwen3");
  expect(firstForTalk(ids("nomic-embed-text"))).toBeUndefined();
});

test("a model may be a list in order of preference", () => {
  expect(parseModels(" a, b,,a ,c")).toEqual(["a", "b", "c"]);
  expect([parseModels(undefined), parseModels(""), parseModels(" , ")]).toEqual([[], [], []]);
});

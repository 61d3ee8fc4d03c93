import { expect, test } from "vitest";
import { offeredModels } from "./drivers/acp/session/models.ts";
import { offerModels } from "./offered-models.ts";

test("a model list is reported with its names, bounded, each id once, and not when it is empty", () => {
  expect(offerModels([{ id: "" }, { id: 7 }, { id: "x".repeat(201) }])).toEqual([]);
  const reported = [
    { id: "a", name: "a", description: "" },
    { id: "a", name: "again" },
    { id: "b", name: "B", description: "y".repeat(500) },
    { id: "c", name: null, description: "B" },
    ...Array.from({ length: 400 }, (_, at) => ({ id: `m${at}` })),
  ];
  const [offer] = offerModels(reported);
  expect(offer?.models.slice(0, 3)).toEqual([
    { id: "a" },
    { id: "b", name: "B", description: `${"y".repeat(199)}…` },
    { id: "c", description: "B" },
  ]);
  expect(offer?.models).toHaveLength(200);
});

test("an ACP agent's models are read from its config option, grouped or not, or from its list", () => {
  const option = (options: unknown) => ({
    configOptions: [{ id: "mode" }, { id: "model", category: "model", options }],
  });
  const one = { value: "a/x", name: "X", description: "d" };
  expect(offeredModels(option([one]))).toEqual([{ id: "a/x", name: "X", description: "d" }]);
  expect(offeredModels(option([{ group: "a", name: "A", options: [one] }]))).toEqual([
    { id: "a/x", name: "X", description: "d" },
  ]);
  const models = { availableModels: [{ modelId: "m", name: "M" }], currentModelId: "m" };
  expect(offeredModels({ models })).toEqual([{ id: "m", name: "M", description: undefined }]);
  expect(offeredModels({})).toEqual([]);
});

import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { ownModel } from "./own-model.ts";

test("model and effort are read from each program's settings, wherever they are", async () => {
  const home = await scratchTree({
    ".claude/settings.json": '{ "model": "opus-4.8", "effortLevel": "high" }',
    ".codex/config.toml":
      '# mine\nmodel = "gpt-5.6"\nmodel_reasoning_effort = "medium"\n[profiles.x]\nmodel = "other"\n',
    ".gemini/settings.json": '{ "model": { "name": "gemini-3-pro" } }',
    "elsewhere/settings.json": '{ "defaultModel": "local" }',
  });
  const env = { HOME: home, PI_CODING_AGENT_DIR: join(home, "elsewhere") };
  expect(await ownModel({ name: "claude", kind: "claude" }, env)).toEqual({ model: "opus-4.8", effort: "high" });
  expect(await ownModel({ name: "my-codex", kind: "codex" }, env)).toEqual({ model: "gpt-5.6", effort: "medium" });
  const gemini = { name: "gemini", kind: "acp", command: ["gemini", "--acp"] } as const;
  expect(await ownModel({ ...gemini, command: [...gemini.command] }, env)).toEqual({ model: "gemini-3-pro" });
  expect(await ownModel({ name: "pi", kind: "pi" }, env)).toEqual({ model: "local" });
});

test("a missing or invalid file, an odd name and a member without settings give nothing", async () => {
  const home = await scratchTree({
    ".claude/settings.json": '{ "model": "a\\u001b[2J" ',
    ".codex/config.toml": '[profiles.x]\nmodel = "other"\n',
  });
  const env = { HOME: home };
  expect(await ownModel({ name: "claude", kind: "claude" }, env)).toEqual({});
  expect(await ownModel({ name: "codex", kind: "codex" }, env)).toEqual({});
  expect(await ownModel({ name: "pi", kind: "pi" }, env)).toEqual({});
  expect(await ownModel({ name: "scout", kind: "embedded" }, env)).toEqual({});
});

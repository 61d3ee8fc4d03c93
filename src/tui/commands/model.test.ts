import { expect, test } from "vitest";
import { createRecordingScreen, plannedWith, type ScreenState } from "../../../test/tui/command-screen.ts";
import { created, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty, fold } from "../../transcript/index.ts";
import { completeArguments, runCommandLine } from "./run-command.ts";

const OFFERED = [{ id: "opus" }, { id: "sonnet-5", name: "Sonnet 5", description: "fast" }];

function screenOf(state: Partial<ScreenState>, ...more: EventDraft[]) {
  const events = stamped([
    created(),
    joined("ada", { spec: { name: "ada", kind: "claude", model: "opus" } }),
    joined("bob"),
    { type: "member_models", member: "ada", models: OFFERED },
    said("m0", ["ada"]),
    ...more,
  ]);
  const screen = createRecordingScreen({ transcript: fold(empty("session"), events), ...state });
  const wishes: unknown[] = [];
  return Object.assign(screen, {
    wishes,
    command: async (body: unknown) => {
      wishes.push(body);
      return { commandId: "c", ok: true as const, seq: 1 };
    },
  });
}

async function run(line: string, state: Partial<ScreenState> = {}, ...more: EventDraft[]) {
  const screen = screenOf(state, ...more);
  expect(await runCommandLine(screen, line)).toBe("ran");
  return screen;
}

test("/model asks whose model, then shows what the member's program offers, on the one in use", async () => {
  const screen = screenOf({ pickLabel: "ada" });
  await runCommandLine(screen, "/model");
  expect(screen.calls).toMatchObject([
    [
      "pick",
      "Change whose model?",
      [
        { label: "ada", description: "uses opus · claude · 2 to choose from" },
        { label: "bob", description: "uses its default model · embedded" },
      ],
    ],
    [
      "pick",
      "Model of ada",
      [
        { label: "opus", description: "", value: "opus" },
        { label: "sonnet-5", description: "Sonnet 5 · fast", value: "sonnet-5" },
        { label: "Other …", description: "type a name", value: "" },
      ],
    ],
  ]);
  expect(screen.wishes).toEqual([]);
});

test("a choice or a typed name becomes a command; cancelling changes nothing", async () => {
  const chosen = await run("/model ada", { pickLabel: "sonnet-5" });
  const written = await run("/model ada", { pickLabel: "Other …", line: "my own" });
  const unknown = await run("/model bob", { line: "historian" });
  const left = await run("/model ada");
  expect([chosen.wishes, written.wishes, unknown.wishes, left.wishes]).toEqual([
    [{ type: "switch_model", member: "ada", model: "sonnet-5" }],
    [{ type: "switch_model", member: "ada", model: "my own" }],
    [{ type: "switch_model", member: "bob", model: "historian" }],
    [],
  ]);
  expect([chosen.messages, left.messages]).toEqual([[], []]);
  expect(unknown.calls[0]).toEqual(["askLine", "Model of bob", ""]);
});

test("a model is reported in the log alone, and while the member runs when it is used", async () => {
  const busy = [said("m1", ["ada"]), started("t1", "ada", { messageIds: ["m1"] })];
  const screen = await run("/model ada sonnet-5", {}, ...busy);
  expect(screen.messages).toEqual(["ada finishes its turn first."]);
  const picking = await run("/model ada", { pickLabel: "opus" }, ...busy);
  expect(picking.calls[0]?.slice(0, 2)).toEqual(["pick", "Model of ada, from its next turn on"]);
});

test("a model that the member's server does not list is used with a warning that names the nearest", async () => {
  const screen = await run("/model ada sonet-5");
  expect(screen.wishes).toEqual([{ type: "switch_model", member: "ada", model: "sonet-5" }]);
  expect(screen.calls).toEqual([["say", "ada does not list sonet-5. Did you mean sonnet-5?", "ask"]]);
  const unknown = await run("/model bob anything");
  expect(unknown.calls).toEqual([]);
});

test("a member's models are offered while its name is followed by a space", async () => {
  expect(await completeArguments(screenOf({}), "model", "ada S")).toEqual([
    { value: "ada sonnet-5", label: "sonnet-5", description: "Sonnet 5 · fast" },
  ]);
  expect((await completeArguments(screenOf({}), "model", "b")).map(({ value }) => value)).toEqual(["bob"]);
});

test("the model of a member of a session that has not begun is decided for it", async () => {
  const wishes: unknown[] = [];
  const screen = Object.assign(
    createRecordingScreen({ planned: plannedWith("ada", "bob"), pickLabel: "bob", line: "small" }),
    {
      command: async (body: unknown) => {
        wishes.push(body);
        return { commandId: "c", ok: true as const, seq: 0 };
      },
    },
  );
  for (const line of ["/model ada opus", "/model", "/model eda x"]) await runCommandLine(screen, line);
  expect(wishes).toEqual([
    { type: "switch_model", member: "ada", model: "opus" },
    { type: "switch_model", member: "bob", model: "small" },
  ]);
  expect(screen.messages.at(-1)).toBe('There is no member "eda". Did you mean ada? Usage: /model [NAME [MODEL]]');
});

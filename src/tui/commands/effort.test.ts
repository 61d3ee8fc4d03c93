import { expect, test } from "vitest";
import { createRecordingScreen, plannedWith, type ScreenState } from "../../../test/tui/command-screen.ts";
import { created, joined } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { NO_CAPABILITIES } from "../../protocol/index.ts";
import { empty, fold, formatModel } from "../../transcript/index.ts";
import { runCommandLine } from "./run-command.ts";

const events = stamped([
  created(),
  joined("ada", {
    spec: { name: "ada", kind: "claude", model: "opus" },
    capabilities: { ...NO_CAPABILITIES, effort: ["low", "high"] },
  }),
  joined("bob"),
  { type: "effort_switched", member: "ada", effort: "low" },
]);
const transcript = fold(empty("session"), events);

async function run(line: string, state: Partial<ScreenState> = {}) {
  const screen = createRecordingScreen({ transcript, ...state });
  const wishes: unknown[] = [];
  const recording = Object.assign(screen, {
    command: async (body: unknown) => {
      wishes.push(body);
      return { commandId: "c", ok: true as const, seq: 1 };
    },
  });
  await runCommandLine(recording, line);
  return { wishes, told: screen.calls };
}

test("/effort takes a level, or shows what the member takes; default leaves it to the agent", async () => {
  expect((await run("/effort ada high")).wishes).toEqual([{ type: "switch_effort", member: "ada", effort: "high" }]);
  expect((await run("/effort @ada default")).wishes).toEqual([{ type: "switch_effort", member: "ada" }]);
  const picked = await run("/effort", { pickLabel: "high" });
  expect(picked.told[0]).toMatchObject([
    "pick",
    "Effort of ada",
    [{ label: "low" }, { label: "high" }, { label: "default", description: "decided by the agent" }],
  ]);
  expect(picked.wishes).toEqual([{ type: "switch_effort", member: "ada", effort: "high" }]);
});

test("/effort of a member without effort levels says why", async () => {
  const { wishes, told } = await run("/effort bob");
  expect(wishes).toEqual([]);
  expect(JSON.stringify(told)).toContain("bob takes no effort setting.");
});

test("without a member that has an effort setting, nobody is asked which", async () => {
  const coming = { transcript: undefined, planned: plannedWith("ada") };
  const [ada] = coming.planned.members;
  const planned = { ...coming.planned, members: [{ ...ada, name: "ada", kind: "embedded" as const }] };
  const { wishes, told } = await run("/effort", { ...coming, planned });
  expect([wishes, told]).toEqual([[], [["say", "No member here has an effort setting.", "bad"]]]);
});

test("the effort of a member of a session that has not begun is decided for it", async () => {
  const coming = { transcript: undefined, planned: plannedWith("ada", "bob") };
  expect((await run("/effort ada high", coming)).wishes).toEqual([
    { type: "switch_effort", member: "ada", effort: "high" },
  ]);
  const asked = await run("/effort", { ...coming, pickLabel: "bob", line: "default" });
  expect(asked.wishes).toEqual([{ type: "switch_effort", member: "bob" }]);
  const wrong = await run("/effort eda high", coming);
  expect([wrong.wishes, JSON.stringify(wrong.told)]).toEqual([[], expect.stringContaining("Did you mean ada?")]);
});

test("the effort stands beside the model", () => {
  const words = Object.values(transcript.head.members).map((member) => formatModel(member));
  expect(words).toEqual(["opus, low effort", undefined]);
});

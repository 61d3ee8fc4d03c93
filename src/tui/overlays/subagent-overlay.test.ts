import { describe, expect, test } from "vitest";
import { created, ended, joined, said } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { spoke, subagentTree } from "../../../test/generate/subagent-tree.ts";
import { createRecordingScreen, type ScreenState } from "../../../test/tui/command-screen.ts";
import { KEY, showOverlay } from "../../../test/tui/shown-overlay.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty, fold, type Transcript } from "../../transcript/index.ts";
import { runCommandLine } from "../commands/run-command.ts";
import { createSubagentOverlay } from "./subagent-overlay.ts";

const TREE: EventDraft[] = [
  created(),
  joined("ada"),
  said("m1", ["ada"]),
  ...subagentTree("ada"),
  ended("t4", "other"),
];

const at = (...more: EventDraft[]): Transcript => fold(empty("session"), stamped([...TREE, ...more]));

describe("the page of a subagent", () => {
  test("its turn and those below it, drawn as in the log, and nothing of anybody else; it grows while it is open", async () => {
    let transcript = at();
    let left = 0;
    const page = showOverlay((surface) =>
      createSubagentOverlay(surface, {
        turnId: "t2",
        transcript: () => transcript,
        settings: () => ({ thinking: "folded", isExpanded: false, hasTimes: false, isRaw: false }),
        seenAs: () => undefined,
        now: () => 0,
        onClose: () => (left += 1),
      }),
    );
    expect(await page.text()).toContain("─ Subagent finder");
    expect(await page.text()).toContain("2 turns");
    expect(await page.text()).toMatch(/Found it\.[\s\S]*Read it\./);
    expect(await page.text()).not.toMatch(/Words of ada|Another thing/);
    transcript = at(spoke("t2", "finder", " And more."), ended("t2", "finder"));
    expect(await page.text()).toContain("Found it. And more.");
    page.press(KEY.escape, "q");
    expect(left).toBe(2);
    page.close();
  });

  test("it follows its end until somebody scrolls up, and End follows again", async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `- line ${index}`).join("\n");
    let transcript = at(spoke("t2", "finder", `\n\n${lines}`));
    const page = showOverlay(
      (surface) =>
        createSubagentOverlay(surface, {
          turnId: "t2",
          transcript: () => transcript,
          settings: () => ({ thinking: "folded", isExpanded: false, hasTimes: false, isRaw: false }),
          seenAs: () => undefined,
          now: () => 0,
          onClose() {},
        }),
      { rows: 16 },
    );
    expect(await page.text()).toContain("Read it.");
    page.press(KEY.home);
    expect(await page.text()).toContain("Found it.");
    transcript = at(spoke("t2", "finder", `\n\n${lines}`), ended("t2", "finder"));
    expect(await page.text()).toContain("Found it.");
    page.press(KEY.end);
    expect(await page.text()).toContain("Read it.");
    page.close();
  });
});

describe("/subagents", () => {
  async function run(line: string, state: Partial<ScreenState> = {}) {
    const screen = createRecordingScreen({ transcript: at(), ...state });
    await runCommandLine(screen, line);
    return screen.calls;
  }

  test("lists subagents with their state and task, newest first, and opens the one that is chosen", async () => {
    expect(await run("/subagents", { pickLabel: "finder" })).toEqual([
      [
        "pick",
        "Subagents",
        [
          { label: "other", description: "completed · look into other", value: "t4" },
          { label: "· reader", description: "completed · look into reader", value: "t3" },
          { label: "finder", description: "running · look into finder", value: "t2" },
        ],
      ],
      ["showSubagent", "t2"],
    ]);
    expect(await run("/subagents reader")).toEqual([["showSubagent", "t3"]]);
  });

  test("a marked turn of a subagent is opened at once; where there is none it says so", async () => {
    const marked = at().head.openTurns["t2"];
    expect(await run("/subagents", { selected: marked })).toEqual([["showSubagent", "t2"]]);
    const none = fold(empty("session"), stamped(TREE.slice(0, 4)));
    expect(await run("/subagents", { transcript: none })).toEqual([["say", "No subagents in the loaded messages."]]);
  });
});

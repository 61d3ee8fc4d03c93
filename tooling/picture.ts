/**
 * `node tooling/picture.ts [terminal|council …]`: takes the pictures of the documentation, docs/NAME.svg, seen through the
 * terminal emulator of the tests: the app at a session made for it, and the real program in a made-up repository.
 */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { EventDraft } from "../src/protocol/index.ts";
import { createHome, root } from "../test/cli/program.ts";
import { stamped } from "../test/generate/stamped.ts";
import { openApp } from "../test/tui/open-app.ts";
import { openTerminal } from "../test/tui/terminal.ts";
import { begun, DIFF, opening } from "../test/web/made-session.ts";
import { makeRepository } from "./made-repository.ts";
import { screenSvg, type Picture } from "./screen-svg.ts";

const FINDINGS = `The second start reads the holder's record **before the first one has written it**, so both give up.

| case | before | after |
|---|---:|---:|
| two starts at once | 1 in 40 fails | 0 of 10,000 |
| a killed holder | 2.1 s | 0.3 s |`;

const scenes: Readonly<Record<string, () => Promise<Picture>>> = { terminal, council };

const wanted = process.argv.slice(2);
for (const name of wanted.length === 0 ? Object.keys(scenes) : wanted) {
  const scene = scenes[name];
  if (scene === undefined)
    throw new Error(`There is no picture "${name}"; there are: ${Object.keys(scenes).join(", ")}.`);
  writeFileSync(path.join(root, "docs", `${name}.svg`), screenSvg(await scene()));
}

/** In the middle of it: one has changed a file and runs the tests, two are still writing. */
function streaming(): readonly EventDraft[] {
  const [claude, codex, scout] = [
    { turnId: "s1", member: "claude" },
    { turnId: "s2", member: "codex" },
    { turnId: "s3", member: "scout" },
  ];
  const edit = { ...codex, toolCallId: "k1" };
  const run = { ...codex, toolCallId: "k2" };
  return [
    ...opening.filter(({ type }) => type !== "context_update"),
    begun("s2", "codex"),
    begun("s3", "scout"),
    begun("s1", "claude"),
    { type: "text_delta", ...codex, segmentId: "a", text: "The record comes too late. I would write it first:\n" },
    { type: "text_done", ...codex, segmentId: "a", text: "The record comes too late. I would write it first:\n" },
    { type: "tool_call_start", ...edit, name: "edit", args: {}, title: "Edit src/log/lock.ts", kind: "edit" },
    { type: "tool_result", ...edit, ok: true, durationMs: 90, result: "done", diff: DIFF },
    { type: "tool_call_start", ...run, name: "run", args: {}, title: "npx vitest run src/log", kind: "execute" },
    { type: "tool_output_delta", ...run, text: " ✓ src/log/lock.test.ts (12 tests) 340ms\n" },
    {
      type: "text_delta",
      ...scout,
      segmentId: "b",
      text: "**`takeLock` is called in 3 places**, and only `src/host/open.ts:41` waits:\n\n- `src/host/open.ts:41`\n- `src/cli/doctor.ts:88`\n- `src/log/snap",
    },
    { type: "text_delta", ...claude, segmentId: "c", text: FINDINGS },
  ];
}

async function terminal(): Promise<Picture> {
  const [columns, rows] = [150, 40];
  const sessionId = "01K9ZQ4T7M2V8XW3CD5FA883JM";
  const events = stamped(streaming()).map((event) => Object.assign(event, { sessionId }));
  const now = (events.at(-1)?.ts ?? 0) + 2_000;
  const describeDirectory = async () => ({ path: "~/roundtable", branch: "main", isDirty: true });
  const seen = await openApp({ columns, rows, events, now, sessionId, more: { describeDirectory } });
  await seen.settle();
  const label = "The terminal app: three members answer one question side by side";
  const picture = { rows: seen.runs(), columns, label, cursor: seen.cursor() };
  await seen.close();
  return picture;
}

async function council(): Promise<Picture> {
  const [columns, rows] = [110, 48];
  const home = createHome();
  home.configure({ council: { members: ["scout", "historian", "critic"], auto_rounds: 2 } });
  await makeRepository(home.project);
  const seen = openTerminal(home, ["chat", "--new"], {}, { columns, rows });
  try {
    await seen.sees(/read-only|can edit/);
    seen.type("Where is parseTime defined?\r");
    await seen.shows(() => / \d rounds /.test(seen.screen()[0] ?? "") && !seen.text().includes("Esc stops"));
    const label = "A council in the terminal app: members answer, and later rounds in which nobody has anything to add";
    const cursor = seen.modes.isCursorHidden ? undefined : seen.cursor;
    return { rows: seen.runs(), columns, label, cursor };
  } finally {
    seen.close();
    await seen.ended;
    rmSync(home.directory, { recursive: true, force: true });
  }
}

import { expect, test } from "vitest";
import { createRecordingScreen } from "../../../test/tui/command-screen.ts";
import { ATTACHMENTS_MAX } from "../../protocol/index.ts";
import { splitPaths } from "./messages.ts";
import { completeArguments, runCommandLine } from "./run-command.ts";

const FILES = { "notes.md": "x".repeat(2_000), "my notes.md": "words", "src/": "", "src/a.ts": "code" };

test("/attach adds files to the next message, lists them, and none drops them", async () => {
  const screen = createRecordingScreen({ sessionId: "s", files: FILES });
  const enterLine = async (line: string) => {
    await runCommandLine(screen, line);
    return screen.messages.at(-1);
  };
  expect(await enterLine("/attach")).toBe("Nothing attached. /attach PATH attaches a file.");
  expect(await enterLine("/attach notes.md 'my notes.md'")).toBe("Attached: notes.md (2.0 KB), my notes.md (5 B).");
  expect(await enterLine("/attach notes.md")).toBe("Attached: my notes.md (5 B), notes.md (2.0 KB).");
  screen.state.sessionId = "another";
  expect(screen.attached.list).toEqual([]);
  screen.state.sessionId = "s";
  expect(await enterLine("/attach none")).toBe("Attachments removed.");
  expect(screen.attached.list).toEqual([]);
});

test("a path that cannot be attached is named with what was found, and too many are left out", async () => {
  const many = Object.fromEntries(Array.from({ length: ATTACHMENTS_MAX + 1 }, (_, at) => [`f${at}`, "x"]));
  const screen = createRecordingScreen({ sessionId: "s", files: many });
  await runCommandLine(screen, "/attach gone.md f0");
  expect(screen.messages.at(-1)).toBe("gone.md: there is no such file. Usage: /attach [PATH…|none]");
  expect(screen.attached.list.map(({ name }) => name)).toEqual(["f0"]);
  await runCommandLine(screen, `/attach ${Object.keys(many).join(" ")}`);
  expect(screen.messages.at(-1)).toContain(
    `f${ATTACHMENTS_MAX}: a message takes at most ${ATTACHMENTS_MAX} files. Usage`,
  );
  expect(screen.attached.list).toHaveLength(ATTACHMENTS_MAX);
});

test("paths are completed at the end of the line, with a backslash before a space", async () => {
  const screen = createRecordingScreen({ sessionId: "s", files: FILES });
  const values = async (prefix: string) =>
    (await completeArguments(screen, "attach", prefix)).map(({ value }) => value);
  expect(await values("s")).toEqual(["src/", "src/a.ts"]);
  expect(await values("notes.md my")).toEqual(["notes.md my\\ notes.md"]);
  expect(await values("my\\ n")).toEqual(["my\\ notes.md"]);
  await runCommandLine(screen, "/attach notes.md");
  expect(await values("n")).toEqual(["none", "notes.md"]);
});

test.each([
  ["a b", ["a", "b"]],
  ["  a\\ b 'c d' \"e f\"", ["a b", "c d", "e f"]],
  ["", []],
])("%j are the paths %j", (args, paths) => {
  expect(splitPaths(args)).toEqual(paths);
});

import { expect, test } from "vitest";
import { createRecordingScreen } from "../../../test/tui/command-screen.ts";
import { asMessage, parseCommandLine } from "../../kit/text/command-line.ts";
import { ATTACHMENTS_MAX } from "../../protocol/index.ts";
import type { RunShell } from "../app/options.ts";
import { runCommandLine } from "./run-command.ts";

const printing =
  (...pieces: readonly string[]): RunShell =>
  async (_command, { onOutput }) => {
    for (const piece of pieces) onOutput(piece);
    return { code: 3, signal: null, isStopped: false };
  };

test.each([
  ["!git status", "git status"],
  ["! ls -l ", "ls -l"],
  ["!./run.sh\nand more", "./run.sh\nand more"],
])("%j is for the user's shell", (text, args) => {
  expect(parseCommandLine(text)).toEqual({ kind: "command", name: "shell", args });
});

test.each(["!", "!!", "!! read this", "!= 3", "!?", "![an image](a.png)", " !ls", "wow!", "! "])(
  "%j is a message and runs nothing",
  (text) => {
    expect([parseCommandLine(text).kind, asMessage(text)]).toEqual(["message", text]);
  },
);

test("what a command printed and how it ended goes with the next message", async () => {
  const screen = createRecordingScreen({ sessionId: "s", runShell: printing("one\n", "two\n") });
  await runCommandLine(screen, "!make all");
  expect(screen.calls.filter(([what]) => String(what).includes("utput"))).toEqual([
    ["showOutput", "$ make all"],
    ["outputEnded", "exit code 3", "one\ntwo\n"],
  ]);
  expect(screen.attached.list).toMatchObject([{ name: "make-all.txt", text: "$ make all\none\ntwo\n(exit code 3)\n" }]);
  expect(screen.messages).toEqual(["Attached: make-all.txt (33 B). /attach none removes it."]);
});

test("a command that is stopped says so, and keeps what it had printed", async () => {
  const runShell: RunShell = async (_command, { signal, onOutput }) => {
    onOutput("half");
    return { code: null, signal: "SIGTERM", isStopped: signal.aborted };
  };
  const screen = createRecordingScreen({ runShell, onGrew: (_text, stop) => stop() });
  await runCommandLine(screen, "/shell sleep 100");
  expect(screen.attached.list[0]?.text).toBe("$ sleep 100\nhalf\n(stopped by you)\n");
});

test("of a long output the beginning and the end are kept, and what is missing is said", async () => {
  const screen = createRecordingScreen({ runShell: printing("first\n", "x".repeat(400_000), "\nlast") });
  await runCommandLine(screen, "!cat big");
  const text = screen.attached.list[0]?.text ?? "";
  expect([text.length < 132_000, text.startsWith("$ cat big\nfirst"), text.endsWith("last\n(exit code 3)\n")]).toEqual([
    true,
    true,
    true,
  ]);
  expect(text).toMatch(/\d+ bytes left out/);
});

test("a command that cannot run is reported, and nothing is attached", async () => {
  const screen = createRecordingScreen();
  await runCommandLine(screen, "/shell");
  await runCommandLine(screen, "!ls");
  const runShell = () => Promise.reject(new Error("there is no directory /gone on this machine"));
  const lost = createRecordingScreen({ runShell });
  await runCommandLine(lost, "!ls");
  expect([...screen.messages, ...lost.messages]).toEqual([
    "Which command? Usage: /shell COMMAND",
    "Commands only run in an interactive terminal.",
    "/shell failed: there is no directory /gone on this machine",
  ]);
  expect([...screen.attached.list, ...lost.attached.list]).toEqual([]);
});

test("where as many files wait as a message carries, the output is only shown", async () => {
  const screen = createRecordingScreen({ runShell: printing("one") });
  for (let count = 0; count <= ATTACHMENTS_MAX; count++) await runCommandLine(screen, "!ls");
  expect(screen.attached.list).toHaveLength(ATTACHMENTS_MAX);
  expect(screen.messages.at(-1)).toBe(
    "The output was not attached: your message already has as many files as it can hold.",
  );
});

/** `!` in the app: the page that grows, its Escape, and what must never reach the shell. */
import { expect, test } from "vitest";
import type { RunShell, ShellEnd } from "../../src/tui/app/options.ts";
import { sessionLog } from "./draw-panels.ts";
import { keys } from "./key-bytes.ts";
import { openApp } from "./open-app.ts";

/** A shell in the hands of the test. */
function heldShell() {
  const { promise, resolve } = Promise.withResolvers<ShellEnd>();
  const ran: string[] = [];
  let print: (text: string) => void = () => {};
  const runShell: RunShell = (command, { signal, onOutput }) => {
    ran.push(command);
    print = onOutput;
    signal.addEventListener("abort", () => resolve({ code: null, signal: "SIGTERM", isStopped: true }));
    return promise;
  };
  return {
    runShell,
    ran,
    print: (text: string) => print(text),
    end: () => resolve({ code: 0, signal: null, isStopped: false }),
  };
}

test("what a command prints is seen while it comes, its end in sight, and goes with the next message", async () => {
  const shell = heldShell();
  const shown = await openApp({ more: { runShell: shell.runShell } });
  shown.type("!make all");
  shown.type(keys.enter);
  await shown.settle();
  expect(shown.screen().join("\n")).toMatch(/\$ make all · running[^]*No output yet\./);
  shell.print(Array.from({ length: 60 }, (_, at) => `row ${at}\n`).join(""));
  await shown.settle();
  const text = shown.screen().join("\n");
  expect([text.includes("row 59"), text.includes("row 0\n"), text.includes("Esc stop")]).toEqual([true, false, true]);
  shell.end();
  await shown.settle();
  expect(shown.screen().join("\n")).toContain("$ make all · exit code 0");
  shown.type(keys.escape);
  await shown.settle();
  expect(shown.screen().join("\n")).toMatch(/\+ make-all\.txt \(\d+ B\) · with your next message/);
  await shown.close();
});

test("an attachment is announced once: by the row above the input, where there is one", async () => {
  const shell = heldShell();
  const read = async () => ({ name: "notes.md", bytes: new TextEncoder().encode("words") });
  const shown = await openApp({ more: { runShell: shell.runShell, files: { read, complete: async () => [] } } });
  shown.type("!make all");
  shown.type(keys.enter);
  shell.end();
  await shown.settle();
  shown.type(keys.escape);
  await shown.settle();
  expect(
    shown
      .screen()
      .join("\n")
      .match(/make-all\.txt/g),
  ).toHaveLength(1);
  shown.type("/attach notes.md");
  shown.type(keys.enter);
  await shown.settle();
  expect(
    shown
      .screen()
      .join("\n")
      .match(/notes\.md/g),
  ).toHaveLength(1);
  shown.type("/attach");
  shown.type(keys.enter);
  await shown.settle();
  expect(shown.screen().join("\n")).toMatch(/Attached: make-all\.txt \(\d+ B\), notes\.md \(5 B\)\./);
  await shown.close();
});

test("Escape stops the command and a second one closes the page; leaving stops it too", async () => {
  const shell = heldShell();
  const shown = await openApp({ more: { runShell: shell.runShell } });
  shown.type("!sleep 100");
  shown.type(keys.enter);
  await shown.settle();
  shown.type(keys.escape);
  await shown.settle();
  expect(shown.screen().join("\n")).toContain("$ sleep 100 · stopped by you");
  shown.type(keys.escape);
  await shown.settle();
  expect(shown.screen().join("\n")).not.toContain("─ $ sleep 100");
  await shown.close();

  const left = heldShell();
  const leaving = await openApp({ more: { runShell: left.runShell } });
  leaving.type("!sleep 100");
  leaving.type(keys.enter);
  await leaving.settle();
  await leaving.close();
  expect(leaving.app.attached.list[0]?.text).toContain("(stopped by you)");
});

test("a command that a member puts into the draft is a message: Enter runs nothing", async () => {
  const shell = heldShell();
  const shown = await openApp({ more: { runShell: shell.runShell } });
  shown.peer.play(sessionLog([{ type: "ui_set_editor_text", member: "claude", text: "!rm -rf x" }]));
  await shown.settle();
  expect(shown.app.prompt.text).toBe(" !rm -rf x");
  shown.type(keys.enter);
  await shown.settle();
  expect(shell.ran).toEqual([]);
  await shown.close();
});

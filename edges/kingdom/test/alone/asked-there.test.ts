/** A message for one member, from a program that waits for the answer itself: the member is asked once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { openMirrored, type MirroredSession } from "./mirrored-session.ts";
import { readThread } from "./thread-reader.ts";

const ASKS_ONE = path.join(import.meta.dirname, "programs", "asks-one.ts");

let at: MirroredSession;
const pids: number[] = [];

afterEach(async () => {
  for (const pid of pids.splice(0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has exited already.
    }
  }
  await at.close();
});

/** Under the name of kingdom's program or under another one. */
async function argsOf(name: string, words: readonly string[] = []): Promise<string[]> {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "rt-bin-")), name);
  symlinkSync(ASKS_ONE, file);
  return [file, ...words, await at.dir(), "claude", "hi"];
}

async function askAsKingdom() {
  const args = await argsOf("kd", ["council", "ask", "--to"]);
  const kd = spawn(process.execPath, args, { cwd: at.project, stdio: ["pipe", "inherit", "inherit"] });
  pids.push(kd.pid ?? 0);
  return kd;
}

/** Detached: children of the host do not count as other programs. */
async function askAsStranger(): Promise<void> {
  const args = [process.execPath, ...(await argsOf("some-script"))];
  const shell = [
    "-c",
    'mkfifo "$0"; exec 3<>"$0"; "$@" <&3 >/dev/null & echo $!',
    path.join(at.dataDir, "fifo"),
    ...args,
  ];
  const { stdout } = spawn("sh", shell, { cwd: at.project, stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = (await once(stdout, "data")) as [Buffer];
  pids.push(Number(pid.toString()));
}

const asked = () => at.of("user_message").map(({ text, to }) => ({ text, to }));
const turns = () => at.of("turn_start").map(({ member, cause }) => `${member} ${cause}`);

test.runIf(process.platform === "linux")(
  "a message of kd for one member is shown at once, and left to kd as long as it runs",
  async () => {
    at = await openMirrored();
    const kd = await askAsKingdom();
    await at.sees("the message", () => at.of("user_message").length === 1);
    expect(asked()).toEqual([{ text: "hi", to: [] }]);
    kd.stdin.end("Hello.\n");
    await at.sees("its answer", () => at.of("turn_end").length === 1);
    // Later questions come after everything that would have been asked automatically.
    await at.send("And you?", ["a_b"]);
    await at.sees("the other answer", () => at.of("turn_end").length === 2);
    expect(turns()).toEqual(["claude imported", "a_b user"]);
    await at.sees("all files", () => at.of("mirrored").length === 2);
    expect(readThread(await at.dir()).messages.map(({ from }) => from)).toEqual(["king", "claude", "king", "a-b"]);
  },
);

test.runIf(process.platform === "linux")("when kd ends without an answer, the member is asked here", async () => {
  at = await openMirrored();
  const kd = await askAsKingdom();
  await at.sees("the message", () => at.of("user_message").length === 1);
  expect(turns()).toEqual([]);
  kd.stdin.end();
  await at.sees("the answer", () => at.of("turn_end").length === 1);
  expect(turns()).toEqual(["claude user"]);
  expect(asked().at(-1)).toEqual({ text: "hi", to: ["claude"] });
});

test("an unidentified program has as long as a turn may take", async () => {
  at = await openMirrored({ timeout: 3 });
  await askAsStranger();
  await at.sees("the message", () => at.of("user_message").length === 1);
  expect(asked()).toEqual([{ text: "hi", to: [] }]);
  const shownMs = performance.now();
  await at.sees("the answer", () => at.of("turn_end").length === 1);
  expect(performance.now() - shownMs).toBeGreaterThan(2_500);
  expect(turns()).toEqual(["claude user"]);
});

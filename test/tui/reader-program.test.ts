/** The reader against the real program, in a pseudo-terminal and through pipes. */
import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { createHome, mainFile, type Home } from "../cli/program.ts";
import { startServing } from "../server/serve-program.ts";
import { openTerminal, type SeenTerminal } from "./terminal.ts";

const ENTER = "\r";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const OPEN = "Type a message and press Enter";

/** Ctrl+C reaches the shell, too, which must outlive the program to say how it ended. */
const WITH_KEYS = 'trap : INT; stty -g; "$0" "$@"; code=$?; stty -g; echo "exit $code"';

/** Everything that reached the terminal, as it was sent. */
function bytesOf(seen: SeenTerminal): string {
  return seen.recording.map(({ what }) => (typeof what === "string" ? what : "")).join("");
}

/** Lines only: no escape, and no return of the carriage but at the end of a line. */
function expectOnlyLines(bytes: string): void {
  // oxlint-disable-next-line no-control-regex -- their absence is what is proved.
  expect(bytes.match(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/g)).toBe(null);
}

/** The shell printed the terminal's settings before and after. */
function expectSettingsRestored(seen: SeenTerminal): void {
  const [before, after, ...more] = seen.text().match(/^[0-9a-f]+:[0-9a-f:]{40,}$/gm) ?? [];
  expect([before !== undefined, after, more]).toEqual([true, before, []]);
}

describe.concurrent("the reader", () => {
  test.each([
    ["--screen-reader", ["--screen-reader"], {}],
    ["ACCESSIBLE=1", ["chat"], { ACCESSIBLE: "1" }],
    ["TERM=dumb", [], { TERM: "dumb" }],
  ] as const)("%s has a question answered and a command approved in lines", async (_how, args, env) => {
    const seen = openTerminal(createHome(), args, { ...env });
    try {
      await seen.sees("A new session. At the table: scout.");
      expect(seen.modes).toMatchObject({
        screen: "normal",
        isPasteBracketed: false,
        isCursorHidden: false,
        mouse: "none",
      });
      seen.type(`where is parse\\${ENTER}Widget defined?${ENTER}`);
      await seen.sees(/scout finished, \d+ s\./);
      expect(seen.text()).toContain("scout is answering.\n");
      seen.type(`/try approval${ENTER}`);
      await seen.sees("Answer with a number or a letter, q to deny, or later to leave it open.");
      expect(seen.text()).toContain("scout asks to run a command.\n  rm -rf build && npm run build\n");
      seen.type(`4${ENTER}`);
      await seen.sees("You answered `false`.");
      await seen.sees(/scout finished, \d+ s\.\n[^]*scout finished, \d+ s\./);
      seen.type(CTRL_D);
      await seen.sees("exit 0");
      expect(seen.text()).toMatch(/^To continue ".*": roundtable --resume [0-9a-z]{6}$/m);
      expectSettingsRestored(seen);
      expectOnlyLines(bytesOf(seen));
    } finally {
      seen.close();
    }
  });

  test("Ctrl+C interrupts what runs, a second one leaves; nothing but lines is written", async () => {
    const seen = openTerminal(createHome(), ["chat", "--screen-reader"], {}, { line: WITH_KEYS });
    try {
      await seen.sees("A new session.");
      seen.type(`/try slow 400${ENTER}`);
      await seen.sees("scout is answering.");
      seen.type(CTRL_C);
      await seen.sees(/scout was stopped, \d+ s/);
      // The command's answer and the turn's end come by two ways, in either order.
      await seen.sees("Stopped scout.");
      seen.type(CTRL_C);
      await seen.sees("exit 0");
      expectSettingsRestored(seen);
      // The terminal itself shows the key as ^C; the program writes no control.
      expectOnlyLines(bytesOf(seen));
    } finally {
      seen.close();
    }
  });

  test("a terminate signal leaves with the farewell; a kill loses nothing that was said", async () => {
    const home = createHome();
    const first = openTerminal(home, ["chat", "--screen-reader"]);
    try {
      await first.sees("A new session.");
      first.type(`/try tools${ENTER}`);
      await first.sees(/scout finished/);
      first.type(`/try hang${ENTER}`);
      await first.sees(/scout is answering\.[^]*scout is answering\./);
      process.kill(first.programPid, "SIGKILL");
      await first.sees("exit 137");
    } finally {
      first.close();
    }
    const second = openTerminal(home, ["chat", "--screen-reader"]);
    try {
      await second.sees(/scout was stopped, \d+ s/);
      expect(second.text()).toContain("You wrote to scout:\n  /try hang\n");
      process.kill(second.programPid, "SIGTERM");
      await second.sees("exit 0");
      expect(second.text()).toContain(": roundtable --resume");
      expectOnlyLines(bytesOf(first) + bytesOf(second));
    } finally {
      second.close();
    }
  });

  test("chat takes lines from a pipe, answers into one, and ends with the input when all is said", async () => {
    const home = createHome();
    const env = { ROUNDTABLE_BACKGROUND: "0" };
    const ran = await home.run(["chat"], { env, stdin: "@scout /try tools\n/members\n" });
    expect(ran).toMatchObject({ code: 0, signal: null, stderr: "" });
    expect(ran.stdout).toMatch(/^scout says:\n {2}Four tools at once; the third fails\.$/m);
    expect(ran.stdout).toMatch(/^scout finished, \d+ s\.$/m);
    expect(ran.stdout).not.toContain("\r");
    expectOnlyLines(ran.stdout);
    const again = await home.run(["chat"], { env, stdin: "" });
    const turn = (text: string) => text.slice(text.indexOf("scout is answering."));
    const words = (text: string) =>
      turn(text)
        .split("\n")
        // What /members answers, and who or what is waited for on a slow machine, is said of the moment and not of the session.
        .filter((line) => !/^(?:scout: (?:idle|waiting|running), kind|Waiting: |Still working: |The disk )/.test(line));
    expect(again.code).toBe(0);
    expect(words(again.stdout)).toEqual(words(ran.stdout));
  });

  test("a program can drive the reader through pipes: it answers requests and gets the result", async () => {
    const { said, code } = await drive(
      createHome(),
      ["chat", "--new"],
      [
        [OPEN, "@scout /try select\n"],
        ["later to leave it open.", "2\n"],
        ["scout finished", "/quit\n"],
      ],
    );
    expect(code).toBe(0);
    expect(said).toMatch(/^1: Red, the first of three\n2: Green\n3: Blue$/m);
    expect(said).toMatch(/^scout asked "Which colour\?", answered: Green, from terminal \w{4}\.$/m);
    expect(said).toContain('  You answered `"green"`.\n');
    expectOnlyLines(said);
  });

  test("attach takes lines, too, and what it started goes on after it has left", async () => {
    const serving = await startServing();
    try {
      const { said, code } = await drive(
        serving.home,
        ["attach", serving.url],
        [
          [OPEN, "@scout /try hang\n"],
          ["scout is answering.", "/quit\n"],
        ],
      );
      expect(code).toBe(0);
      expect(said).toContain("Detached. scout keeps working. To come back: roundtable -c\n");
      expectOnlyLines(said);
    } finally {
      await serving.stop();
    }
  });

  test("without chat, piped input stays one question", async () => {
    const ran = await createHome().run([], { stdin: "/try select\n" });
    expect(ran.stdout).not.toContain(OPEN);
    expect(ran.stdout).toContain("● scout");
  });
});

/** Writes each line when its words have been printed after the line before. */
function drive(
  home: Home,
  args: readonly string[],
  steps: readonly (readonly [string, string])[],
): Promise<{ said: string; code: number | null }> {
  const child = spawn(process.execPath, [mainFile, ...args], {
    cwd: home.project,
    env: { ...home.env, ROUNDTABLE_BACKGROUND: "0" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  let from = 0;
  let next = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    for (let step = steps[next]; step !== undefined; step = steps[next]) {
      const at = said.indexOf(step[0], from);
      if (at === -1) return;
      from = at + step[0].length;
      next += 1;
      child.stdin.write(step[1]);
    }
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ said, code }));
  });
}

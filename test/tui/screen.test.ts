/** The terminal screen in a pseudo-terminal, against the real program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, jsonLines, type Home } from "../cli/program.ts";
import { startServing, type Serving } from "../server/serve-program.ts";
import { openTerminal, type SeenTerminal } from "./terminal.ts";

const ESCAPE = "\u001b";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ENTER = "\r";

/** Tests run beside each other, so each clears away its own. */
type Finally = (close: () => void | Promise<void>) => void;

function terminal(
  after: Finally,
  home: Home,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): SeenTerminal {
  const seen = openTerminal(home, args, env);
  after(() => seen.close());
  return seen;
}

async function serving(after: Finally): Promise<Serving> {
  const one = await startServing();
  after(() => one.stop());
  return one;
}

/** The shell printed the terminal's settings before and after: equal means put back. */
function expectRestored(seen: SeenTerminal): void {
  const [before, after, ...more] = seen.text().match(/^[0-9a-f]+:[0-9a-f:]{40,}$/gm) ?? [];
  expect([before !== undefined, after, more]).toEqual([true, before, []]);
  expect(seen.modes).toEqual({ bracketedPasteMode: false, wraparoundMode: true, isCursorHidden: false });
}

describe.concurrent("the screen", () => {
  test("[U1] it sends, prints the answer as it comes, and quits with the terminal as it was", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const seen = terminal(after, home);
    await seen.sees("A new session. At the table: scout.");
    expect(seen.modes.bracketedPasteMode).toBe(true);
    seen.type(`/try tools${ENTER}`);
    expect(await seen.sees("Four tools at once")).not.toContain("3 succeeded");
    await seen.sees("scout speaks · Esc interrupts");
    await seen.sees("3 succeeded, 1 failed.");
    await seen.sees("Enter sends · /help · hosted here");
    const said = "● you\n/try tools\n\n● scout\nFour tools at once; the third fails.\n\n";
    const tools = "· Wait 400 ms\n· Wait 1200 ms\n· Wait 800 ms\n  ✗ This tool fails on purpose.\n· Wait 2000 ms\n\n";
    expect(seen.text()).toContain(`${said}${tools}3 succeeded, 1 failed.\n`);
    seen.type(`/quit${ENTER}`);
    await seen.sees("exit 0");
    expectRestored(seen);
    const { stdout } = await home.run(["sessions", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ title: "/try tools", cwd: home.project, status: "idle" }]);
  });

  test("[U2] Escape interrupts and keeps what was said; the draft survives the stream; Ctrl+D quits", async ({
    onTestFinished: after,
  }) => {
    const seen = terminal(after, createHome());
    await seen.sees("Write something");
    seen.type(`/try slow${ENTER}`);
    await seen.sees("Step 2 of 60");
    seen.type("my draft");
    await seen.sees("Step 4 of 60");
    await seen.sees("› my draft");
    seen.type(ESCAPE);
    await seen.sees("[interrupted");
    const text = await seen.sees("Enter sends");
    expect(text).toContain("Step 4 of 60");
    expect(text).toContain("› my draft");
    seen.type(CTRL_C);
    await seen.sees(/›$/);
    seen.type(CTRL_D);
    await seen.sees("exit 0");
    expectRestored(seen);
  });

  test("[U3] Ctrl+C empties the draft, then interrupts, then quits", async ({ onTestFinished: after }) => {
    const seen = terminal(after, createHome());
    await seen.sees("Write something");
    seen.type(`/try hang${ENTER}`);
    await seen.sees("I hang now.");
    seen.type("x");
    await seen.sees("› x");
    seen.type(CTRL_C);
    await seen.sees(/›$/);
    expect(seen.text()).not.toContain("[interrupted");
    seen.type(CTRL_C);
    await seen.sees("[interrupted");
    await seen.sees("Enter sends");
    seen.type(CTRL_C);
    await seen.sees("exit 0");
    expectRestored(seen);
  });

  test("[U4] the terminal is put back after a signal and after a fault, too", async ({ onTestFinished: after }) => {
    const stopped = terminal(after, createHome());
    await stopped.sees("Write something");
    stopped.type(`/try hang${ENTER}`);
    await stopped.sees("I hang now.");
    process.kill(childOf(stopped.pid), "SIGTERM");
    await stopped.sees("exit 0");
    expectRestored(stopped);
    const served = await serving(after);
    const left = terminal(after, served.home);
    await left.sees("attached to");
    served.child.kill("SIGKILL");
    await left.sees("roundtable: the host went away");
    await left.sees("exit 1");
    expectRestored(left);
  });

  test("[U5] with a server running it attaches: both terminals show the same, and leaving does not stop the members", async ({
    onTestFinished: after,
  }) => {
    const served = await serving(after);
    const one = terminal(after, served.home);
    await one.sees(`attached to ${served.url}`);
    one.type(`/try slow${ENTER}`);
    await one.sees("Step 2 of 60");
    const two = terminal(after, served.home, ["attach", served.url]);
    await two.sees("Step 2 of 60");
    await two.sees("scout speaks");
    two.type(ESCAPE);
    await two.sees("What runs was started elsewhere; /interrupt all stops it.");
    one.type(`/quit${ENTER}`);
    await one.sees("Detached; the members go on.");
    await one.sees("exit 0");
    const before = two.text().match(/Step \d+ of 60/g)?.length ?? 0;
    await two.sees(`Step ${before + 2} of 60`);
    two.type(`/interrupt all${ENTER}`);
    await two.sees("[interrupted");
    two.type(`/quit${ENTER}`);
    await two.sees("exit 0");
    expectRestored(two);
  });

  test("[U6] attach sends the token of this data directory to no other address, and none to another machine", async ({
    onTestFinished: after,
  }) => {
    const served = await serving(after);
    const other = terminal(after, served.home, ["attach", "http://127.0.0.1:1"]);
    const far = terminal(after, served.home, ["attach", "http://198.51.100.7:80"], { ROUNDTABLE_TOKEN: served.token });
    const wrong = terminal(after, served.home, ["attach", served.url], { ROUNDTABLE_TOKEN: "wrong" });
    await other.sees("there is no token for http://127.0.0.1:1");
    await far.sees('"198.51.100.7" is not on this machine');
    await wrong.sees("does not take this token");
  });

  test("[U7] what a member or a pasted text holds never acts on the terminal; a paste is one message with its lines", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const seen = terminal(after, home);
    await seen.sees("Write something");
    seen.type(`${ESCAPE}[200~first line\nsecond ${ESCAPE}]0;title\u0007line\u202e${ESCAPE}[201~`);
    await seen.sees("› first line");
    await seen.sees("second ]0;titleline⟨U+202E⟩");
    expect(seen.text()).not.toContain("● you");
    seen.type(ENTER);
    await seen.sees("● you\nfirst line\nsecond ]0;titleline⟨U+202E⟩");
    seen.type(`/quit${ENTER}`);
    await seen.sees("exit 0");
    const { stdout } = await home.run(["sessions", "list", "--json"]);
    const [{ sessionId }] = JSON.parse(stdout) as [{ sessionId: string }];
    const events = jsonLines(readFileSync(join(home.dataDir, "logs", `${sessionId}.jsonl`), "utf8"));
    expect(events.find((event) => event["type"] === "user_message")?.["text"]).toBe(
      "first line\nsecond ]0;titleline\u202e",
    );
  });

  test("[U8] it goes on with the last session of the directory, prints it as it was, and --new begins another", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const first = terminal(after, home);
    await first.sees("Write something");
    first.type(`/try thinking${ENTER}`);
    await first.sees("I have thought twice.");
    await first.sees("Enter sends");
    first.type(`/quit${ENTER}`);
    await first.sees("exit 0");
    const again = terminal(after, home, ["chat"]);
    const picture = (seen: SeenTerminal) => /● you[^]*I have thought twice\./.exec(seen.text())?.[0];
    await again.sees("I have thought twice.");
    expect(picture(again)).toBe(picture(first));
    again.type(CTRL_D);
    await again.sees("exit 0");
    const fresh = terminal(after, home, ["chat", "--new"]);
    await fresh.sees("A new session.");
    expect(fresh.text()).not.toContain("thought twice");
    fresh.type(CTRL_D);
    await fresh.sees("exit 0");
  });

  test("[U9] a narrower window while a long line grows leaves no scraps behind", async ({ onTestFinished: after }) => {
    const seen = terminal(after, createHome());
    await seen.sees("Write something");
    seen.type(`/try slow${ENTER}`);
    await seen.sees("Step 3 of 60");
    seen.resize(40, 12);
    await seen.sees("Step 6 of 60");
    seen.resize(100, 30);
    await seen.sees("Step 9 of 60");
    seen.type(ESCAPE);
    await seen.sees("[interrupted");
    const text = await seen.sees("Enter sends");
    expect(text.match(/Step 1 of 60/g)?.length).toBe(1);
    expect(text.match(/scout speaks/g)).toBe(null);
    expect(text.match(/›/g)?.length).toBe(1);
  });
});

/** The program is the only child of the shell that the terminal runs. */
function childOf(shell: number): number {
  return Number(readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim());
}

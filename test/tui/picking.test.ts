/** The list of sessions and the replay in a real terminal, through the real program. */
import { expect, test } from "vitest";
import { createHome } from "../cli/program.ts";
import { ctrl, keys } from "./key-bytes.ts";
import { expectRestored, openTestTerminal } from "./test-terminal.ts";

const { enter, escape, left, right } = keys;

test("on a terminal --list and --resume before a question pick a session; the question then goes there, and Escape asks nothing", async ({
  onTestFinished: after,
}) => {
  const home = createHome();
  await home.run(["-p", "@scout /try silence", "-n", "First talk"]);
  await home.run(["-p", "@scout /try silence", "-n", "Second talk"]);
  const list = openTestTerminal(after, { home, args: ["--list"] });
  const ask = openTestTerminal(after, { home, args: ["-p", "@scout /try changes", "--resume"] });
  const none = openTestTerminal(after, { home, args: ["-p", "@scout /try changes", "--resume"] });
  await Promise.all([ask, none].map((seen) => seen.sees("─ Sessions")));
  await list.sees("2 open sessions in 1 folder");
  list.type("/");
  list.type("first");
  await list.sees("Ready 1");
  list.type(enter);
  await list.sees("(said nothing)");
  list.type(ctrl("d"));
  ask.type(`first${enter}`);
  await ask.sees("● scout");
  await ask.sees("exit 0");
  none.type(escape);
  await none.sees("no session was chosen; nothing was sent");
  await Promise.all([list.sees("exit 0"), none.sees("exit 130")]);
  for (const seen of [list, ask, none]) expectRestored(seen);
  const listed = await home.run(["sessions", "list", "--json"]);
  const turns = (JSON.parse(listed.stdout) as { title: string; turns: number }[]).map(({ title, turns }) => [
    title,
    turns,
  ]);
  expect(Object.fromEntries(turns)).toEqual({ "First talk": 2, "Second talk": 1 });
});

test("in a real terminal a session is replayed to an event, stepped through, and the terminal is given back", async ({
  onTestFinished: after,
}) => {
  const home = createHome();
  await home.run(["-p", "@scout /try changes", "-n", "The change"]);
  const seen = openTestTerminal(after, { home, args: ["replay", "change", "--speed", "0"], columns: 100 });
  await seen.sees("⏸ paused 1×");
  await seen.sees("Done: reports changed files");
  const [, last] = /event (\d+) of \d+/.exec(seen.text()) ?? [];
  seen.type(left);
  await seen.sees(`event ${Number(last) - 1} of ${last}`);
  seen.type(right);
  await seen.sees(`event ${last} of ${last}`);
  seen.type(keys.home);
  await seen.sees(`event 0 of ${last} · before the first`);
  seen.type("++++++ ");
  await seen.sees(`event ${last} of ${last}`);
  await seen.sees("⏸ paused 64×");
  seen.type("q");
  await seen.sees("exit 0");
  expectRestored(seen);
});

/** The ways to a session from the command line, and the one that leads nowhere. */
import { shortId } from "../../src/kit/short-id.ts";
import { describe, expect, test } from "vitest";
import { createHome, type Home } from "../cli/program.ts";
import { ctrl } from "./key-bytes.ts";
import { connected, expectRestored, openTestTerminal, type Finally } from "./test-terminal.ts";

/** Two sessions of a directory; their ids, the newer one last. */
async function withTwoSessions(): Promise<{ home: Home; ids: [string, string] }> {
  const home = createHome();
  await home.run(["-p", "@scout /try changes"]);
  await home.run(["-p", "@scout /try silence"]);
  const { stdout } = await home.run(["sessions", "list", "--json"]);
  const [newer, older] = JSON.parse(stdout) as [{ sessionId: string }, { sessionId: string }];
  return { home, ids: [older.sessionId, newer.sessionId] };
}

/** Opens it, sees these words and not those, and leaves by the way that says how to come back. */
async function opens(
  after: Finally,
  { home, args, shown, notShown, id }: { home: Home; args: string[]; shown: string; notShown: string; id: string },
): Promise<void> {
  const seen = openTestTerminal(after, { home, args });
  await seen.sees(shown);
  await seen.sees(connected);
  expect((await seen.rests()).join("\n")).not.toContain(notShown);
  seen.type(ctrl("d"));
  await seen.sees("exit 0");
  expect(seen.text()).toContain(`: roundtable --resume ${shortId(id)}\n`);
  expectRestored(seen);
}

const CHANGES = "Done: reports changed files";
const SILENCE = "(said nothing)";

describe.concurrent("ways in", () => {
  test("chat with an id, or the beginning of one, opens that session and no other", async ({
    onTestFinished: after,
  }) => {
    const { home, ids } = await withTwoSessions();
    const [older, newer] = ids;
    const short = newer.slice(0, 12).toLowerCase();
    await Promise.all([
      opens(after, { home, args: ["chat", older], shown: CHANGES, notShown: SILENCE, id: older }),
      opens(after, { home, args: ["chat", short], shown: SILENCE, notShown: CHANGES, id: newer }),
    ]);
  });

  test("-c and chat -c open the last session of the directory; where there is none they say so and give the terminal back", async ({
    onTestFinished: after,
  }) => {
    const empty = createHome();
    const nothing = ["-c", "chat -c"].map((args) => openTestTerminal(after, { home: empty, args: args.split(" ") }));
    const { home, ids } = await withTwoSessions();
    const last = { home, shown: SILENCE, notShown: CHANGES, id: ids[1] };
    await opens(after, { ...last, args: ["-c"] });
    await opens(after, { ...last, args: ["chat", "-c"] });
    for (const seen of nothing) {
      await seen.sees("exit 4");
      // On a busy machine the terminal answers after the program has gone, and the shell shows that.
      const text = seen.text().replaceAll(/\^\[\[\?[\d;]*[cu]/g, "");
      expect(text).toContain(`roundtable: there is no session in ${empty.project} to continue.`);
      expectRestored(seen, text);
    }
  });

  test("a failing stdout is reported on stderr, also for the short help of a terminal, the help and the version", async ({
    onTestFinished: after,
  }) => {
    for (const args of [[], ["--help"], ["--version"]]) {
      const seen = openTestTerminal(after, { args, line: '"$0" "$@" > /dev/full; echo "exit $?"' });
      await seen.sees("exit 1");
      expect(seen.text().split("\n")).toEqual(["roundtable: cannot write the output (ENOSPC).", "exit 1"]);
    }
  });
});

/** Options of a question, given to the terminal app: as lines, so that no terminal is needed. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { createHome, jsonLines, threeScouts, type Home } from "./program.ts";

const env = { ROUNDTABLE_BACKGROUND: "0" };

function atThree(): Home {
  const home = createHome();
  home.configure(threeScouts);
  return home;
}

/** How the newest session began: its title, who sat down, and how it is set. */
function begun(home: Home) {
  const logs = join(home.dataDir, "logs");
  const newest = readdirSync(logs)
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()
    .at(-1);
  const events = jsonLines(readFileSync(join(logs, newest ?? ""), "utf8")) as unknown as SessionEvent[];
  const first = events.find((event) => event.type === "session_created");
  const members = events.flatMap((event) => (event.type === "member_joined" ? [event.member] : []));
  return { title: first?.title, timeout: first?.settings.timeout, writable: first?.settings.writable, members };
}

describe.concurrent("the terminal app", () => {
  test.each([
    ["roundtable", ["--screen-reader", "--timeout", "45"]],
    ["chat", ["--timeout", "45", "chat"]],
  ])("%s with --members, -n, --timeout and --writable begins a new session with just that", async (_how, args) => {
    const home = atThree();
    await home.run(["-p", "/try silence", "--to", "ada"]);
    const given = [...args, "--members", "cyd,ada", "-n", "Two of them", "--writable"];
    const ran = await home.run(given, { env, stdin: "@ada /try silence\n" });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(ran.stdout).toContain("A new session. At the table: cyd and ada.\n");
    expect(begun(home)).toEqual({ title: "Two of them", timeout: 45, writable: true, members: ["cyd", "ada"] });
  });

  test("-n names only the first session; the next one of the same run is named by its first message", async () => {
    const home = atThree();
    const stdin = "@ada /try silence\n/new\n@ada /try changes\n";
    const ran = await home.run(["chat", "-n", "The first"], { env, stdin });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const { stdout } = await home.run(["sessions", "list", "--json"]);
    const titles = (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title);
    expect(titles.toSorted()).toEqual(["/try changes", "The first"]);
  });

  test.each([
    [["--members", "ada", "-c"], "--members"],
    [["-n", "x", "--resume", "01JD"], "--name"],
    [["--timeout", "5", "--resume"], "--timeout"],
    [["chat", "01JD", "--writable"], "--writable"],
    [["chat", "--members", "ada", "-c"], "--members"],
  ])("%j is refused: it only applies to a new session, and another is meant", async (args, option) => {
    const { code, stdout, stderr } = await createHome().runHere(["--screen-reader", ...args], { env });
    expect([code, stdout]).toEqual([2, ""]);
    const said = `roundtable: ${option} only applies to a new session and cannot be combined with -c, --resume, --list or a session id.`;
    expect(stderr.slice(0, said.length)).toBe(said);
  });

  test.each(["--members ada", "-n x", "--timeout 5", "--writable", "--json"])(
    "%s before attach is refused: the server decides how a session begins",
    async (option) => {
      const ran = await createHome().runHere([...option.split(" "), "attach", "http://127.0.0.1:1"], { env });
      expect([ran.code, ran.stdout]).toEqual([2, ""]);
      expect(ran.stderr).toMatch(
        /^roundtable: --\w+ (?:cannot be combined with attach|only applies to a question with -p)/,
      );
    },
  );

  test.each([
    ["--to ada", "--to", "start a message with @NAME"],
    ["--rounds 2", "--rounds", "set council.auto_rounds or use /round"],
    ["--output-format json", "--output-format", "Ask with -p TEXT."],
    ["--json", "--json", "--list --json prints the sessions."],
    ["--rounds 2 chat", "--rounds", "use /round"],
  ])("%s without a question is refused with what to do", async (args, option, hint) => {
    const ran = await createHome().runHere(["--screen-reader", ...args.split(" ")], { env });
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toMatch(new RegExp(`^roundtable: ${option} only applies to a question with -p\\. `));
    expect(ran.stderr).toContain(hint);
  });
});

/** `--config` and its shorthands, and a project's `.mcp.json`, in the real program. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, threeScouts, type Home } from "./program.ts";

const alone = { ROUNDTABLE_BACKGROUND: "0" };

function atThree(): Home {
  const home = createHome();
  home.configure(threeScouts);
  return home;
}

interface Result {
  exit_code: number;
  subtype: string;
  members: Record<string, { outcome: string; turns: number }>;
  error: { message: string } | null;
}

describe.concurrent("--config", () => {
  test("config show --origin names the flag, before and after the command", async () => {
    const given = ["--config", "council.timeout=7", "--max-turns", "3", "config", "show", "--origin"];
    const ran = await createHome().runHere([...given, "--config", "council.members=critic,scout"]);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const lines = ran.stdout.split("\n");
    expect(lines.filter((line) => line.includes("# --")).toSorted()).toEqual([
      "council.limits.turns    3  # --max-turns",
      'council.members         ["critic","scout"]  # --config council.members',
      "council.timeout         7  # --config council.timeout",
    ]);
  });

  test("a question is asked with it, over the user's file", async () => {
    const home = atThree();
    const ran = await home.runHere(["-p", "/try silence", "--config", "council.members=bob,zoe"], {
      env: { ROUNDTABLE_MEMBERS: "cyd" },
    });
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toMatch(/^roundtable: unknown member "zoe" in --config council\.members\. Known members: /);
    const zoe = ["--config", "agents.zoe.kind=embedded", "--config", "agents.zoe.model=scout"];
    const asked = await home.runHere(["run", ...zoe, "--config", "council.members=bob,zoe", "/try silence"]);
    expect([asked.code, asked.stdout]).toEqual([0, "● bob\n(no answer)\n\n● zoe\n(no answer)\n"]);
  });

  test("an error in it is one sentence, and exits with 2", async () => {
    const home = createHome();
    const [key, pair] = await Promise.all([
      home.runHere(["-p", "x", "--config", "council.timout=5"]),
      home.runHere(["-p", "x", "--config", "council.timeout"]),
    ]);
    expect([key.code, key.stderr]).toEqual([
      2,
      'roundtable: --config council.timout: unknown key "council.timout". Did you mean "council.timeout"?\n',
    ]);
    expect([pair.code, pair.stderr]).toEqual([2, expect.stringContaining('"council.timeout" has no "="')]);
  });

  test("rules count in a question; the terminal app and the background, whose server has its own, refuse them", async () => {
    const home = createHome();
    const writable = ["--writable", "--config", "council.members=scout"];
    const [asked, denied, app, later] = await Promise.all([
      home.runHere(["-p", "/try approval", "--json", ...writable, "--config", "approvals.allow=*"]),
      home.runHere(["-p", "/try approval", "--json", ...writable, "--config", "approvals.deny=*", "--allow", "*"]),
      home.runHere(["--screen-reader", "--config", "approvals.allow=*"], { env: alone }),
      home.runHere(["council", "ask", "--async", "--config", "approvals.allow=*", "x"], { env: alone }),
    ]);
    expect((JSON.parse(asked.stdout) as Result).exit_code).toBe(0);
    expect(denied.stdout).toContain("a user rule denies it (deny *)");
    expect([app.code, app.stderr]).toEqual([2, expect.stringContaining("--config approvals.allow has no effect")]);
    expect([later.code, later.stderr]).toEqual([2, expect.stringContaining("--config approvals.allow has no effect")]);
  });

  test("the terminal app begins a new session with it, and refuses it for another one", async () => {
    const home = atThree();
    const given = ["--screen-reader", "--config", "council.members=cyd,ada", "--max-turns", "4"];
    const begun = await home.run(given, { env: alone, stdin: "@ada /try silence\n" });
    expect([begun.code, begun.stderr]).toEqual([0, ""]);
    expect(begun.stdout).toContain("A new session. At the table: cyd and ada.\n");
    const other = await home.run(["chat", "-c", "--config", "council.timeout=5"], { env: alone });
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/^roundtable: --config only applies to a new session /),
    ]);
  });
});

describe.concurrent("limits of a run", () => {
  test("--max-time stops a member that hangs, keeps what it said and exits with 6", async () => {
    const ran = await createHome().run(["-p", "/try hang", "--max-time", "2s"]);
    expect(ran.code).toBe(6);
    expect(ran.stdout).toContain("I hang now. Interrupt me.\n");
    expect(ran.stderr).toMatch(
      /^roundtable: 2 seconds are the limit of this run \(--max-time\): running turns were stopped\.\n/,
    );
  });

  test("--max-turns asks only so many, and pauses a discussion at so many, with 6", async () => {
    const home = atThree();
    const [fewer, rounds, enough] = await Promise.all([
      home.runHere(["-p", "/try silence", "--json", "--max-turns", "2"]),
      home.runHere(["-p", "Where is parseWidget?", "--json", "--max-turns", "4", "--rounds", "3"]),
      home.runHere(["-p", "/try silence", "--json", "--max-turns", "3"]),
    ]);
    const [less, more, all] = [fewer, rounds, enough].map(({ stdout }) => JSON.parse(stdout) as Result);
    expect([fewer.code, Object.keys(less?.members ?? {})]).toEqual([6, ["ada", "bob"]]);
    expect(less?.error?.message).toBe("2 turns are the limit of this run (--max-turns), so cyd was not asked");
    expect([rounds.code, more?.subtype]).toEqual([6, "error_limit"]);
    expect(Object.values(more?.members ?? {}).reduce((sum, { turns }) => sum + turns, 0)).toBe(4);
    expect(more?.error?.message).toContain("4 of 4 turns used for this message");
    expect([enough.code, all?.error]).toEqual([0, null]);
  });

  test("a resumed session keeps a limit that is given to it", async () => {
    const home = atThree();
    await home.runHere(["-p", "/try silence"]);
    const limited = await home.runHere(["-p", "/try silence", "-c", "--max-turns", "1"]);
    expect([limited.code, limited.stdout]).toEqual([6, "● ada\n(no answer)\n"]);
    const shown = await home.runHere(["sessions", "show", "01", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      head: { settings: { limits: { turns: 1, session: { turns: 400 } } } },
    });
    const wrong = await home.runHere(["-p", "x", "-c", "--config", "council.members=ada"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("only applies to a new session and cannot be combined with --resume or -c"),
    ]);
  });
});

describe.concurrent("a project's .mcp.json", () => {
  test("config trust shows and trusts it beside the project's own file, and config path knows both", async () => {
    const home = createHome();
    const shared = join(home.project, ".mcp.json");
    const own = join(home.project, ".roundtable", "config.jsonc");
    mkdirSync(join(home.project, ".roundtable"));
    writeFileSync(
      shared,
      '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "x"], "autoApprove": [] } } }',
    );
    writeFileSync(own, '{ "council": { "timeout": 9 } }');
    const before = await home.runHere(["-p", "/try silence"]);
    expect([before.code, before.stderr.split("\n").length, before.stderr]).toEqual([
      0,
      2,
      expect.stringContaining("are not trusted"),
    ]);
    const trusted = await home.runHere(["config", "trust"]);
    expect(trusted).toMatchObject({
      code: 0,
      stdout: `trusted ${shared}\n  tool server files: npx -y x\ntrusted ${own}\n`,
      stderr: "",
    });
    const [path, show] = await Promise.all([
      home.runHere(["config", "path"]),
      home.runHere(["config", "show", "--origin"]),
    ]);
    expect(path.stdout).toBe(`${home.configFile}\n${shared} (trusted)\n${own} (trusted)\n`);
    expect(show.stdout).toContain(`# ${shared}:1:28\n`);
    writeFileSync(shared, "{ nothing");
    const [broken, asked, again] = await Promise.all([
      home.runHere(["config", "path"]),
      home.runHere(["-p", "/try silence"]),
      home.runHere(["config", "trust"]),
    ]);
    expect(broken.stdout).toContain(`${shared} (cannot be used, ignored)\n`);
    expect([asked.code, asked.stdout]).toEqual([0, "● scout\n(no answer)\n"]);
    expect(asked.stderr).toMatch(/\.mcp\.json:1:3: not valid JSON: .*; the file was ignored\.\n$/);
    expect([again.code, again.stdout, again.stderr]).toEqual([0, `trusted ${own}\n`, asked.stderr]);
  });

  test("an unusable file alone is not trusted; config servers checks the servers of a trusted one", async () => {
    const home = createHome();
    const shared = join(home.project, ".mcp.json");
    writeFileSync(shared, "[]");
    const broken = await home.runHere(["config", "trust"]);
    expect([broken.code, broken.stdout, broken.stderr]).toEqual([
      2,
      "",
      `roundtable: ${shared}:1:1: the file must be an object; the file was ignored.\n`,
    ]);
    writeFileSync(shared, '{ "mcpServers": { "files": { "command": "no-such-program" } } }');
    const ignored = await home.runHere(["config", "servers"]);
    expect([ignored.code, ignored.stdout]).toEqual([0, 'no tool servers are configured ("mcpServers")\n']);
    await home.runHere(["config", "trust"]);
    const tried = await home.runHere(["config", "servers"]);
    expect([tried.code, tried.stdout]).toEqual([1, expect.stringMatching(/^files +no-such-program +fails: /)]);
  });
});

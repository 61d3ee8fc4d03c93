import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { inParallel } from "../in-parallel.ts";
import { createHome, jsonLines, shellLine, threeScouts, type Home } from "./program.ts";

/** Programs that one test starts at once. */
const AT_A_TIME = 3;

function logFiles(home: Home): string[] {
  const logs = join(home.dataDir, "logs");
  return readdirSync(logs)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(logs, name));
}

/** The record of a later version, with a checksum that fits. */
function asFormatTwo(line: string): string {
  if (!line.includes('"type":"session_created"')) return line;
  const body = line.slice(0, line.lastIndexOf(',"crc":')).replace('"format":1', '"format":2');
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, "0")}"}`;
}

describe.concurrent("sessions", () => {
  test("list shows one line a session, whole when piped, and JSON for programs", async () => {
    const home = createHome();
    const title = `A very long title ${"that goes on and on ".repeat(9)}`.trim();
    await home.runHere(["-p", "/try silence", "--name", title]);
    const list = await home.runHere(["sessions", "list"], { env: { COLUMNS: "40" } });
    expect(list.stdout).toMatch(
      /^ID +UPDATED +STATUS +TURNS +MEMBERS +TITLE\n[0-9a-z]{6} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}idle +1 {6}scout {4}A very long title/,
    );
    expect(list.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(list.stdout).toContain(title);
    const json = await home.runHere(["sessions", "list", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject([{ title, members: ["scout"], turns: 1, status: "idle" }]);
  });

  test("a title cannot act on the terminal or break its line", async () => {
    const home = createHome();
    await home.runHere(["-p", "/try silence", "--name", "evil\u001b]0;x\u0007\n● codex\u202e"]);
    const list = await home.runHere(["sessions", "list"]);
    expect(list.stdout.trimEnd().split("\n")[1]).toMatch(/ evil ● codex⟨U\+202E⟩$/);
  });

  test("without a data directory the list is empty and none is made", async () => {
    const home = createHome();
    const text = await home.runHere(["sessions", "list"]);
    const json = await home.runHere(["sessions", "list", "--json"]);
    const show = await home.runHere(["sessions", "show", "01"]);
    expect([text.code, text.stdout, json.stdout, show.code]).toEqual([0, "", "[]\n", 4]);
    expect(readdirSync(home.directory)).not.toContain("data");
  });

  test("show prints the output of -p under the question", async () => {
    const home = createHome();
    const asked = await home.runHere(["-p", "Where is parseWidget?"]);
    const shown = await home.runHere(["sessions", "show", "01"]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("● you\nWhere is parseWidget?\n");
    expect(shown.stdout.endsWith(asked.stdout)).toBe(true);
    const json = await home.runHere(["sessions", "show", "01", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      head: { title: "Where is parseWidget?" },
      messages: expect.arrayContaining([expect.objectContaining({ kind: "turn", member: "scout" })]),
    });
  });

  test("reading writes nothing into the log", async () => {
    const home = createHome();
    await home.runHere(["-p", "/try silence"]);
    const before = logFiles(home).map((file) => readFileSync(file, "utf8"));
    await home.runHere(["sessions", "show", "01"]);
    await home.runHere(["sessions", "list"]);
    await home.runHere(["doctor"]);
    expect(logFiles(home).map((file) => readFileSync(file, "utf8"))).toEqual(before);
  });

  test("a list cut by its reader ends quietly", async () => {
    const home = createHome();
    await home.run(["-p", "/try long 300000"]);
    const ran = await shellLine(home, "rt sessions show 01 | head -1");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.concurrent("doctor", () => {
  test("one line reports intact data, also without any data yet", async () => {
    const home = createHome();
    const empty = await home.runHere(["doctor"]);
    expect(empty).toMatchObject({ code: 0, stderr: "" });
    expect(empty.stdout).toMatch(/^(\S+) is intact: 0 sessions, 0 events\nsandbox: /);
    await home.runHere(["-p", "/try silence"]);
    const full = await home.runHere(["doctor"]);
    expect(full.code).toBe(0);
    expect(full.stdout).toMatch(/ is intact: 1 session, \d+ events\nsandbox: /);
  });

  test("a named data directory that does not exist is an error", async () => {
    const home = createHome();
    const elsewhere = join(home.dataDir, "backup");
    const ran = await home.run(["doctor", "--data-dir", elsewhere]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(`there is no data directory ${elsewhere}`);
  });

  test("damage exits with 1, is reported with session and position, and nothing is repaired", async () => {
    const home = createHome();
    await home.runHere(["-p", "/try silence"]);
    const [log = ""] = logFiles(home);
    appendFileSync(log, '{"seq":99,"half');
    const ran = await home.runHere(["doctor"]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^.* has problems: 1 session, \d+ events\n {2}session [0-9A-Z]{26}: .*15 bytes/);
    expect(readFileSync(log, "utf8").endsWith('{"seq":99,"half')).toBe(true);
    const json = await home.runHere(["doctor", "--json"]);
    expect({ code: json.code, report: JSON.parse(json.stdout) }).toMatchObject({
      code: 1,
      report: { isWhole: false, sessions: [{ isWhole: false }] },
    });
  });

  test("a log cut in the middle of a record is found", async () => {
    const home = createHome();
    await home.runHere(["-p", "/try silence"]);
    const [log = ""] = logFiles(home);
    truncateSync(log, statSync(log).size - 10);
    expect((await home.runHere(["doctor"])).code).toBe(1);
  });
});

describe.concurrent("config", () => {
  test("show --origin names the origin of every key", async () => {
    const home = createHome();
    home.configure('{\n  "council": {\n    "timeout": 60\n  },\n  "agents": { "zoe": { "kind": "pi" } }\n}');
    const ran = await home.runHere(["config", "show", "--origin"], { env: { ROUNDTABLE_MODE: "sequential" } });
    expect(ran.code).toBe(0);
    const lines = ran.stdout.split("\n").filter((line) => !line.startsWith("council.preamble"));
    expect(lines).toEqual([
      'council.members         ["zoe"]  # default: every configured agent',
      `council.timeout         60  # ${home.configFile}:3:16`,
      "council.auto_rounds     3  # default",
      'council.mode            "sequential"  # ROUNDTABLE_MODE',
      "council.limits.turns    40  # default",
      "council.limits.minutes  30  # default",
      "council.limits.tokens   2000000  # default",
      "council.limits.usd      5  # default",
      "requests.timeout        300  # default",
      `agents.zoe              {"kind":"pi"}  # ${home.configFile}:5:22`,
      "",
    ]);
  });

  test("show is a configuration that can be used again", async () => {
    const home = createHome();
    home.configure(threeScouts);
    const first = await home.runHere(["config", "show"]);
    home.configure(first.stdout);
    const second = await home.runHere(["config", "show"]);
    expect(second).toEqual({ code: 0, stdout: first.stdout, stderr: "" });
    expect(JSON.parse(first.stdout)).toMatchObject({ council: { members: ["ada", "bob", "cyd"] } });
  });

  test("schema is JSON schema and knows every key", async () => {
    const ran = await createHome().runHere(["config", "schema"]);
    const schema = JSON.parse(ran.stdout) as { $schema: string; properties: Record<string, { properties?: object }> };
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(Object.keys(schema.properties)).toEqual([
      "$schema",
      "council",
      "requests",
      "threads",
      "prompts",
      "approvals",
      "sandbox",
      "mcpServers",
      "agents",
    ]);
    expect(Object.keys(schema.properties["council"]?.properties ?? {})).toEqual([
      "members",
      "timeout",
      "auto_rounds",
      "mode",
      "preamble",
      "writable",
      "limits",
    ]);
  });

  test("a project file counts only after config trust, and again only when it is unchanged", async () => {
    const home = createHome();
    const file = join(home.project, ".roundtable", "config.jsonc");
    mkdirSync(join(home.project, ".roundtable"));
    writeFileSync(
      file,
      '{ "council": { "members": ["zoe"] }, "agents": { "zoe": { "kind": "embedded", "model": "scout" } } }',
    );
    const untrusted = await home.runHere(["-p", "/try silence"]);
    expect(untrusted.stdout).toBe("● scout\n(no answer)\n");
    expect(untrusted.stderr).toBe(
      `roundtable: the project's ${file} is not trusted and was ignored. Read it, then run: roundtable config trust.\n`,
    );
    const trusted = await home.runHere(["config", "trust"]);
    expect(trusted).toMatchObject({ code: 0, stdout: `trusted ${file}\n  agent zoe: embedded\n` });
    const now = await home.runHere(["-p", "/try silence"]);
    expect(now).toMatchObject({ stdout: "● zoe\n(no answer)\n", stderr: "" });
    const path = await home.runHere(["config", "path"]);
    expect(path.stdout).toBe(`${home.configFile}\n${file} (trusted)\n`);
    appendFileSync(file, "\n");
    const changed = await home.runHere(["config", "path"]);
    expect(changed.stdout).toContain(`${file} (not trusted, ignored)\n`);
  });

  test("trusting where there is nothing to trust is a usage error", async () => {
    const home = createHome();
    const ran = await home.runHere(["config", "trust", home.project]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`there is no project configuration for ${home.project}`);
  });

  test("an error in a file is one sentence with file, line and column, and exits with 2", async () => {
    const home = createHome();
    const of = async (text: string) => {
      home.configure(text);
      const ran = await home.runHere(["-p", "x"]);
      return [ran.code, ran.stdout, ran.stderr];
    };
    const at = (directory: string, rest: string) => [2, "", `roundtable: ${home.configFile}:${directory}: ${rest}\n`];
    expect(await of('{\n  "council": {\n    "auto_round": 3\n  }\n}')).toEqual(
      at("3:5", 'unknown key "council.auto_round". Did you mean "council.auto_rounds"?'),
    );
    expect(await of('{\n  "council": { "auto_rounds": -1 } }')).toEqual(
      at("2:31", '"council.auto_rounds" must be an integer, 0 or more, found -1.'),
    );
    expect(await of('{\n  "council": {,\n')).toEqual(
      at("2:15", expect.anything()).with(2, expect.stringContaining(":2:15: not valid JSON")),
    );
  });
});

describe.concurrent("wrong usage and bad places", () => {
  test("an unknown member names the known ones", async () => {
    const home = createHome();
    home.configure(threeScouts);
    const added = await home.runHere(["-p", "x", "--members", "ada,bod"]);
    const to = await home.runHere(["-p", "x", "--to", "bod", "--members", "ada,bob"]);
    expect([added.code, added.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^roundtable: unknown member "bod" in --members\. Known members: scout, .*ada, bob, cyd\. Did you mean "bob"\?\n$/,
      ),
    ]);
    expect([to.code, to.stderr]).toEqual([
      2,
      'roundtable: unknown member "bod" in --to. Known members: ada, bob. Did you mean "bob"?\n',
    ]);
    expect(readdirSync(home.dataDir)).not.toContain("logs");
  });

  test("an unknown member in the file is reported with its line", async () => {
    const home = createHome();
    home.configure('{ "council": { "members": ["nobody"] } }');
    const ran = await home.runHere(["-p", "x"]);
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringContaining(`roundtable: unknown member "nobody" in ${home.configFile}:1:27. Known members: scout`),
    ]);
  });

  const usage: readonly (readonly [string[], string])[] = [
    [["-p", "x", "-C", "nowhere"], "the directory"],
    [["-p", "x", "-C", "src/parser.js"], "is not a directory"],
    [["-p", "x", "--timeout", "0"], "positive number of seconds"],
    [["-p", "x", "--timeout", "soon"], "positive number of seconds"],
    [["-p", "x", "--members", "a,,b"], "comma-separated names"],
    [["-p", "x", "--output-format", "xml"], "Allowed choices are text, json, stream-json"],
    [["-p", "x", "--json", "--output-format", "text"], "cannot be combined"],
    [["-p", "x", "--on", "build-box"], "--on needs --server"],
    [["--bogus"], "unknown option '--bogus'"],
    [["bogus"], 'unknown command "bogus"'],
    [["sessions", "show"], "missing required argument 'id'"],
    [["completion", "tcsh"], "Known shells: bash, zsh, fish"],
    [["-p", "x", "--data-dir", "src/parser.js"], "is not a directory"],
    [["-p", "x", "--data-dir", "src/parser.js/below"], "is not a directory"],
  ];
  test("wrong usage of a command points to the help of that command", async () => {
    const home = createHome();
    const ran = await home.runHere(["sessions", "trash", "restore"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("See roundtable sessions trash restore --help.");
  });

  test.each(usage)("%j is one sentence on stderr and 2", async (args, words) => {
    const ran = await createHome().runHere(args);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^roundtable: [^\n]+\n$/);
    expect(ran.stderr).toContain(words);
  });

  test.skipIf(process.getuid?.() === 0)("a data directory that may not be written is 5", async () => {
    const home = createHome();
    mkdirSync(home.dataDir, { recursive: true });
    chmodSync(home.dataDir, 0o500);
    const ran = await home.runHere(["-p", "x"]);
    expect([ran.code, ran.stderr]).toEqual([
      5,
      `roundtable: no permission to write the data directory ${home.dataDir}. Choose another directory with --data-dir or ROUNDTABLE_HOME.\n`,
    ]);
  });

  test("a log of another format version is refused in one sentence and left alone", async () => {
    const home = createHome();
    const first = await home.run(["--json", "-p", "/try silence"]);
    const id = String(jsonLines(first.stdout)[0]?.["session_id"]);
    const [log = ""] = logFiles(home);
    const newer = readFileSync(log, "utf8").split("\n").map(asFormatTwo).join("\n");
    writeFileSync(log, newer);
    const ran = await home.run(["-p", "x", "--resume", id]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^roundtable: [^\n]*format[^\n]*\n$/);
    expect(readFileSync(log, "utf8")).toBe(newer);
  });

  test("without a prompt and without a terminal, empty input is a usage error", async () => {
    const ran = await createHome().run([]);
    expect([ran.code, ran.stderr.startsWith("roundtable: there is nothing to ask.")]).toEqual([2, true]);
  });
});

describe.concurrent("help, version, completion", () => {
  test("help of every command has an example", async () => {
    const home = createHome();
    const commands = [[], ["run"], ["sessions"], ["sessions", "list"], ["sessions", "show"], ["doctor"], ["config"]];
    const more = [["config", "show"], ["config", "schema"], ["config", "path"], ["config", "trust"], ["completion"]];
    await inParallel([...commands, ...more], AT_A_TIME, async (command) => {
      const ran = await home.runHere([...command, "--help"]);
      expect({ command, code: ran.code, stderr: ran.stderr }).toEqual({ command, code: 0, stderr: "" });
      expect(ran.stdout).toMatch(/Examples:\n {2}\$ /);
    });
  });

  test("--version, -V and -v print the package's version", async () => {
    const home = createHome();
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    const runs = await Promise.all(["--version", "-V", "-v"].map((flag) => home.run([flag])));
    expect(runs.map((ran) => [ran.code, ran.stdout])).toEqual(runs.map(() => [0, `${version}\n`]));
  });

  test("completion scripts parse, and bash completes commands, options and values", async () => {
    const home = createHome();
    const bash = (await home.runHere(["completion", "bash"])).stdout;
    const zsh = (await home.runHere(["completion", "zsh"])).stdout;
    const fish = (await home.runHere(["completion", "fish"])).stdout;
    for (const script of [bash, zsh]) execFileSync("bash", ["-n"], { input: script });
    expect(fish).toContain("complete -c roundtable -f -n '__fish_use_subcommand' -a sessions");
    const complete = (words: string[]) =>
      execFileSync("bash", [
        "-c",
        `${bash}\nCOMP_WORDS=(roundtable ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _roundtable; echo "\${COMPREPLY[*]}"`,
      ])
        .toString()
        .trim();
    expect([
      complete(["sess"]),
      complete(["sessions", ""]),
      complete(["--output-format", "s"]),
      complete(["config", "show", "--or"]),
    ]).toEqual(["sessions", "list show rename archive unarchive fork delete trash --help", "stream-json", "--origin"]);
  });

  test("the zsh script uses none of zsh's own variable names", async () => {
    const { stdout } = await createHome().runHere(["completion", "zsh"]);
    const named = [...stdout.matchAll(/^ *local (.*)$/gm)].flatMap(([, names = ""]) =>
      names.match(/\b[a-z_]+(?==| |$)/gi),
    );
    expect(named).toEqual(["cur", "prev", "at", "next", "offers", "i"]);
  });
});

import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inParallel } from "../in-parallel.ts";
import { startModelServer, text } from "../agents/fakes/model-server.ts";
import { createHome, jsonLines, shellLine, threeScouts } from "./program.ts";

const ESC = "\u001b";

describe.concurrent("asking once", () => {
  test("-p prints the answer under the member's name and stores the session", async () => {
    const home = createHome();
    const ran = await home.run(["-p", "Where is parseWidget defined?"]);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^● scout\n/);
    expect(ran.stdout).toContain("src/parser.js:1");
    expect(readdirSync(join(home.dataDir, "logs")).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
  });

  test("--print, --prompt, -p with text after it, run and exec are the same", async () => {
    const home = createHome();
    const forms = [
      ["--print", "/try silence"],
      ["--prompt", "/try silence"],
      ["-p", "--color", "never", "/try", "silence"],
      ["-p", "/try", "silence"],
      ["run", "/try", "silence"],
      ["exec", "/try silence"],
    ];
    await inParallel(forms, 2, async (form) => {
      const ran = await home.runHere(form);
      expect({ form, ...ran }).toEqual({ form, code: 0, stdout: "● scout\n(no answer)\n", stderr: "" });
    });
  });

  test("after -- nothing is an option", async () => {
    const home = createHome();
    const ran = await home.runHere(["run", "--json", "--", "--widget", "-x"]);
    const shown = await home.runHere(["sessions", "list", "--json"]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject([{ title: "--widget -x" }]);
  });

  test("a session started with text and input is named by the text", async () => {
    const home = createHome();
    await home.run(["-p", "/try silence"], { stdin: "diff --git a/a.ts b/a.ts\n" });
    expect(logEvents(home.dataDir).find(({ type }) => type === "session_created")).toMatchObject({
      title: "/try silence",
    });
  });

  test("files named with -f are attached to the question, also without any text", async () => {
    const home = createHome();
    const file = join(home.directory, "notes.md");
    writeFileSync(file, "Widgets are made in lib.\n");
    const asked = await home.runHere(["-p", "/try silence", "-f", file, "--file", file]);
    const alone = await home.runHere(["-p", "-f", file]);
    const gone = await home.runHere(["-p", "Look", "-f", join(home.directory, "gone"), "--json"]);
    expect([asked.code, asked.stderr, alone.code, alone.stderr, gone.code]).toEqual([0, "", 0, "", 2]);
    expect(JSON.parse(gone.stdout)).toMatchObject({ subtype: "error", error: { code: "usage" } });
    const events = logEvents(home.dataDir).sort((a, b) => Number(a["ts"]) - Number(b["ts"]));
    const attached = { name: "notes.md", mime: "text/plain", blob: { bytes: 25 } };
    expect(events.filter(({ type }) => type === "user_message")).toMatchObject([
      { text: "/try silence", attachments: [attached, attached] },
      { text: "", attachments: [attached] },
    ]);
    const titles = events.filter(({ type }) => type === "session_created").map((event) => event["title"]);
    expect(titles).toEqual(["/try silence", "notes.md"]);
  });

  test("piped input alone is the prompt; with text it follows as a block", async () => {
    const home = createHome();
    await home.run([], { stdin: "parseWidget?\n" });
    await home.run(["-p"], { stdin: "parseWidget!\n" });
    await home.run(["-p", "Explain"], { stdin: "one\ntwo\n\n" });
    await home.run(["-p", "Nothing piped"], { stdin: "" });
    const texts = logEvents(home.dataDir)
      .filter((event) => event["type"] === "user_message")
      .map((event) => event["text"]);
    expect(texts.map(String).sort()).toEqual([
      "Explain\n\n<stdin>\none\ntwo\n</stdin>",
      "Nothing piped",
      "parseWidget!",
      "parseWidget?",
    ]);
  });

  test("a silent pipe is ignored when there is text", async () => {
    const ran = await createHome().run(["-p", "/try silence"], { stdin: "open" });
    expect(ran).toMatchObject({ code: 0, stdout: "● scout\n(no answer)\n" });
    expect(ran.stderr).toBe("roundtable: no input on stdin within 3 s; continuing without it.\n");
  });

  test("nothing to ask is a usage error", async () => {
    const ran = await createHome().run(["-p"], { stdin: "  \n" });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toBe('roundtable: there is nothing to ask. Add a question, such as "Where is the parser?".\n');
  });

  test("answers of three members at once are never mixed", async () => {
    const home = createHome();
    home.configure(threeScouts);
    const ran = await home.runHere(["-p", "/try thinking"]);
    const parts = ran.stdout.trimEnd().split("\n\n").sort();
    expect({ code: ran.code, parts }).toEqual({
      code: 0,
      parts: ["ada", "bob", "cyd"].map((name) => `● ${name}\nI have thought twice.`),
    });
  });

  test("--members chooses members, --to and a leading @name address them", async () => {
    const home = createHome();
    home.configure(threeScouts);
    const seated = await home.runHere(["-p", "/try silence", "--members", "cyd,ada"]);
    const flagged = await home.runHere(["-p", "/try silence", "--to", "@bob"]);
    const named = await home.runHere(["-p", "@cyd /try silence"]);
    expect([seated, flagged, named].map((ran) => headers(ran.stdout).sort())).toEqual([
      ["ada", "cyd"],
      ["bob"],
      ["cyd"],
    ]);
  });

  test("colour only for a person, by flag or by FORCE_COLOR; NO_COLOR and a pipe stay plain", async () => {
    const home = createHome();
    const args = ["-p", "/try silence"];
    const plain = "● scout\n(no answer)\n";
    const runs = await Promise.all([
      home.runHere(args),
      home.runHere(args, { env: { NO_COLOR: "1" } }),
      home.runHere(args, { env: { FORCE_COLOR: "1" } }),
      home.runHere([...args, "--color", "always"], { env: { NO_COLOR: "1" } }),
      home.runHere([...args, "--color", "never"], { env: { FORCE_COLOR: "1" } }),
    ]);
    expect(runs.map((ran) => ran.stdout.includes(ESC))).toEqual([false, false, true, true, false]);
    expect([runs[0]?.stdout, runs[1]?.stdout, runs[4]?.stdout]).toEqual([plain, plain, plain]);
    expect(runs[2]?.stdout.replaceAll(new RegExp(`${ESC}\\[[0-9;]*m`, "g"), "")).toBe(plain);
  });

  test("declines a request at once with its safe default, with a note on stderr", async () => {
    const ran = await createHome().runHere(["-p", "/try confirm", "--timeout", "30"]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("◆ asks: Go on?\n  answered: no\n");
    expect(ran.stderr).toBe("roundtable: scout asks: Go on?: answered no, because a one-shot run cannot ask you.\n");
  });
});

describe.concurrent("formats", () => {
  test("json is one object with the answer of every member", async () => {
    const home = createHome();
    home.configure(threeScouts);
    const ran = await home.runHere(["--json", "-p", "/try silence", "--members", "ada,bob"]);
    const member = {
      outcome: "completed",
      is_error: false,
      result: "",
      turns: 1,
      nothing_to_add: [],
      duration_ms: expect.any(Number),
      usage: expect.anything(),
      error: null,
      guard: null,
    };
    expect(jsonLines(ran.stdout)).toEqual([
      {
        type: "result",
        subtype: "success",
        is_error: false,
        exit_code: 0,
        session_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        duration_ms: expect.any(Number),
        result: "ada:\n\n\nbob:\n",
        members: { ada: member, bob: member },
        declined: [],
        usage: expect.anything(),
        total_cost_usd: 0,
        cost_unknown_for: [],
        error: null,
      },
    ]);
  });

  test("a single member's answer is the result itself", async () => {
    const ran = await createHome().runHere(["-p", "/try thinking", "--output-format", "json"]);
    expect(jsonLines(ran.stdout)[0]).toMatchObject({ result: "I have thought twice.\n" });
  });

  test("[X9] stream-json is the session's events, one a line, then one result", async () => {
    const home = createHome();
    const ran = await home.runHere(["-p", "/try thinking", "--output-format", "stream-json"]);
    const lines = jsonLines(ran.stdout);
    const events = lines.slice(0, -1);
    const kept = logEvents(home.dataDir).slice(0, events.length);
    expect(kept).toMatchObject(events);
    expect(events.map((line) => line["seq"])).toEqual([...events.keys()].map((at) => at + 1));
    expect(lines.at(-1)).toMatchObject({ type: "result", subtype: "success", exit_code: 0 });
  });

  const endings: readonly (readonly [string, string[], number, string])[] = [
    ["a failing member", ["-p", "/try error"], 1, "error_all_members"],
    ["the time limit", ["-p", "/try hang", "--timeout", "0.5"], 3, "error_timeout"],
    ["an unknown member", ["-p", "x", "--to", "nobody"], 2, "error"],
    ["an unknown session", ["-p", "x", "--resume", "01AAAAAAAAAAAAAAAAAAAAAAAA"], 4, "error"],
    ["a directory that is none", ["-p", "x", "-C", "/no/such/place"], 2, "error"],
  ];
  test.each(endings)("[X9] stream-json ends with exactly one result after %s", async (_what, args, code, subtype) => {
    const ran = await createHome().runHere([...args, "--output-format", "stream-json"]);
    const results = jsonLines(ran.stdout).filter((line) => line["type"] === "result");
    expect({ code: ran.code, results }).toEqual({
      code,
      results: [expect.objectContaining({ subtype, is_error: true, exit_code: code })],
    });
    expect(jsonLines(ran.stdout).at(-1)).toMatchObject({ type: "result" });
  });

  test("a refused first message leaves no session behind", async () => {
    const home = createHome();
    const ran = await home.runHere(["-p", "@ada", "--json"]);
    expect([ran.code, jsonLines(ran.stdout)]).toEqual([
      2,
      [expect.objectContaining({ session_id: null, error: expect.objectContaining({ code: "unknown_member" }) })],
    ]);
    const listed = await home.runHere(["sessions", "list", "--json"]);
    expect(JSON.parse(listed.stdout)).toEqual([]);
  });

  test("characters that act on a terminal are escaped in JSON and mean the same", async () => {
    const text = "see \u009b31m \u202e and \u{e0041}";
    const ran = await createHome().runHere(["-p", text, "--output-format", "stream-json"]);
    // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
    expect(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(ran.stdout)).toBe(false);
    expect(jsonLines(ran.stdout)).toContainEqual(expect.objectContaining({ type: "user_message", text }));
  });
});

describe.concurrent("exit codes", () => {
  test("[X11] 1 when all members failed, 7 when some did", async () => {
    const home = createHome();
    home.configure({ agents: { ...threeScouts.agents, far: { kind: "claude" } } });
    const all = await home.runHere(["-p", "x", "--members", "far"]);
    const some = await home.runHere(["-p", "/try silence", "--members", "ada,far"]);
    expect([all.code, some.code]).toEqual([1, 7]);
    expect(some.stdout).toContain("● ada\n(no answer)\n");
    expect(some.stdout).toContain("● far\n[failed: ");
  });

  test("[X12] the time limit interrupts and settles the turn, then 3", async () => {
    const home = createHome();
    // Its first words come before that.
    const ran = await home.runHere(["-p", "/try hang", "--timeout", "4"]);
    expect(ran).toMatchObject({
      code: 3,
      stdout: "● scout\nI hang now. Interrupt me.\n\n[timed out: scout took longer than 4 s and was stopped.]\n",
    });
    expect(openTurns(home.dataDir)).toEqual([]);
  });

  test("a time limit is a timeout in JSON, whatever set it", async () => {
    const home = createHome();
    home.configure({ council: { members: ["scout"], timeout: 0.5 } });
    const [flag, setting] = await Promise.all([
      createHome().runHere(["-p", "/try hang", "--json", "--timeout", "0.5"]),
      home.runHere(["-p", "/try hang", "--json"]),
    ]);
    const error = { code: "timeout", message: "scout took longer than 0.5 s and was stopped." };
    const members = { scout: { outcome: "timed_out", error } };
    for (const ran of [flag, setting]) {
      expect(jsonLines(ran.stdout)).toMatchObject([{ subtype: "error_timeout", exit_code: 3, members }]);
    }
  });

  test("a password in baseUrl is sent with the request and is in no file and on no screen", async ({
    onTestFinished,
  }) => {
    const server = await startModelServer({ isOfTest: false });
    onTestFinished(() => server.close());
    server.play([...text("Hello.")]);
    const home = createHome();
    const baseUrl = server.url.replace("://", "://ann:canary-password@");
    home.configure({ agents: { ada: { kind: "openai", baseUrl, model: "m" } }, council: { members: ["ada"] } });
    const ran = [
      await home.runHere(["-p", "hello"]),
      await home.runHere(["-p", "again", "-c", "--output-format", "stream-json"]),
      await home.runHere(["config", "show"]),
      await home.runHere(["agents", "--json"]),
      await home.runHere(["export", "--format", "jsonl"]),
    ];
    expect(ran[0]?.stdout).toBe("● ada\nHello.\n");
    const header = `Basic ${Buffer.from("ann:canary-password").toString("base64")}`;
    expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([header, header]);
    const files = readdirSync(home.dataDir, { recursive: true })
      .map((name) => join(home.dataDir, String(name)))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, "latin1"));
    expect(files.length).toBeGreaterThan(1);
    const seen = [...files, ...ran.flatMap(({ stdout, stderr }) => [stdout, stderr])];
    expect(seen.filter((one) => /canary-password/.test(one))).toEqual([]);
  });

  test.skipIf(process.platform === "win32")(
    "a failing program is reported with its output, its exit code and how to fix it",
    async () => {
      const home = createHome();
      const program = join(home.directory, "claude");
      writeFileSync(program, "#!/bin/sh\necho 'boom: not logged in' >&2\nexit 1\n", { mode: 0o755 });
      home.configure({ agents: { claude: { kind: "claude", command: [program] } }, council: { members: ["claude"] } });
      const [text, json] = [await home.run(["-p", "hello"]), await home.run(["-p", "hello", "--json"])];
      const message = "claude exited before its answer was complete (exit code 1).";
      const hint =
        'claude is not logged in. Run "claude auth login" in a terminal, or export its key and open the session again.';
      expect(text.stdout).toBe(`● claude\n[failed: ${message}]\n  boom: not logged in\n${hint}\n`);
      const error = { code: "crashed", message, hint, detail: "boom: not logged in", exit_code: 1 };
      expect(jsonLines(json.stdout)[0]?.["members"]).toMatchObject({ claude: { outcome: "errored", error } });
    },
  );

  test("[X12] a turn that outlasts council.timeout is 3, too", async () => {
    const home = createHome();
    home.configure({ council: { members: ["scout"], timeout: 0.5 } });
    const ran = await home.runHere(["-p", "/try hang"]);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain("[timed out");
    expect(openTurns(home.dataDir)).toEqual([]);
  });

  test("[X13] Ctrl+C interrupts, settles and is 130", async () => {
    const home = createHome();
    const ran = await home.run(["-p", "/try hang"], {
      onStdout: once("Interrupt me.", (child) => child.kill("SIGINT")),
    });
    expect(ran).toMatchObject({
      code: 130,
      stdout: "● scout\nI hang now. Interrupt me.\n\n[interrupted]\n",
      stderr: "",
    });
    expect(openTurns(home.dataDir)).toEqual([]);
  });

  test("[X13] Ctrl+C in stream-json still ends with one result", async () => {
    const ran = await createHome().run(["-p", "/try hang", "--output-format", "stream-json"], {
      onStdout: once("Interrupt me.", (child) => child.kill("SIGINT")),
    });
    const lines = jsonLines(ran.stdout);
    expect(ran.code).toBe(130);
    expect(lines.filter((line) => line["type"] === "result")).toEqual([lines.at(-1)]);
    expect(lines.at(-1)).toMatchObject({ subtype: "interrupted", exit_code: 130 });
  });

  test("[X13] a second signal leaves at once, still with exactly one result", async () => {
    const ran = await createHome().run(["-p", "/try hang", "--output-format", "stream-json"], {
      onStdout: once("Interrupt me.", (child) => {
        child.kill("SIGINT");
        child.kill("SIGTERM");
      }),
    });
    expect(ran.code).toBe(130);
    const results = jsonLines(ran.stdout).filter((line) => line["type"] === "result");
    expect(results).toMatchObject([{ subtype: "interrupted", exit_code: 130 }]);
  });

  test("a reader that goes away ends the run quietly, with the turn settled", async () => {
    const home = createHome();
    const ran = await shellLine(home, "rt -p '/try slow' | head -1");
    expect(ran).toEqual({ code: 0, signal: null, stdout: "● scout\n", stderr: "" });
    expect(openTurns(home.dataDir)).toEqual([]);
    expect(logEvents(home.dataDir)).toContainEqual(
      expect.objectContaining({ type: "turn_end", outcome: "interrupted" }),
    );
  });

  test("an output that cannot be written is a failure with one sentence", async () => {
    const ran = await shellLine(createHome(), "rt -p '/try silence' > /dev/full");
    expect(ran).toMatchObject({ code: 1, stderr: "roundtable: cannot write the output (ENOSPC).\n" });
  });
});

describe.concurrent("continuing", () => {
  test("--resume accepts a full id or a unique prefix and prints only the new answer", async () => {
    const home = createHome();
    const first = await home.runHere(["--json", "-p", "/try silence"]);
    const id = String(jsonLines(first.stdout)[0]?.["session_id"]);
    const whole = await home.runHere(["-p", "/try thinking", "--resume", id]);
    const short = await home.runHere(["-p", "/try silence", "-r", id.slice(0, 8).toLowerCase()]);
    expect([whole.stdout, short.stdout]).toEqual(["● scout\nI have thought twice.\n", "● scout\n(no answer)\n"]);
    const list = await home.runHere(["sessions", "list", "--json"]);
    expect(JSON.parse(list.stdout)).toMatchObject([{ sessionId: id, turns: 3 }]);
  });

  test("an unknown or ambiguous prefix exits with 4; --members and --name are for new sessions", async () => {
    const home = createHome();
    await home.runHere(["-p", "/try silence"]);
    await home.runHere(["-p", "/try silence"]);
    const none = await home.runHere(["-p", "x", "--resume", "ZZZZ"]);
    const many = await home.runHere(["-p", "x", "--resume", "01"]);
    const clash = await home.runHere(["-p", "x", "--resume", "01", "--name", "n"]);
    expect([none.code, many.code, clash.code]).toEqual([4, 4, 2]);
    expect(none.stderr).toBe('roundtable: there is no session "ZZZZ". See roundtable sessions list.\n');
    expect(many.stderr).toMatch(
      /^roundtable: "01" is part of the id of 2 sessions\. Give more of its id\. See roundtable sessions list\.\n(?: {2}[0-9a-z]{6} {2}[\d-]+ [\d:]+ {2}\/try silence\n){2}$/,
    );
  });

  test("a session that another process holds is used through that process", async () => {
    const home = createHome();
    const first = await home.run(["--json", "-p", "/try silence"]);
    const id = String(jsonLines(first.stdout)[0]?.["session_id"]);
    let second: Promise<{ code: number | null; stdout: string }> | undefined;
    const holder = await home.run(["-p", "/try hang", "--resume", id], {
      onStdout: (text, child) => {
        if (second !== undefined || !text.includes("Interrupt me.")) return;
        second = home.run(["--output-format", "stream-json", "-p", "too late", "--resume", id, "--timeout", "2"]);
        void second.then(() => child.kill("SIGINT"));
      },
    });
    const guest = await second;
    expect({ holder: holder.code, guest: guest?.code }).toEqual({ holder: 130, guest: 3 });
    const seqs = logEvents(home.dataDir).map((event) => event["seq"]);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    expect(new Set(jsonLines(guest?.stdout ?? "").map((line) => line["epoch"]))).toEqual(new Set([2, undefined]));
  });

  test("-n names the session; without it the question does; -C is its directory", async () => {
    const home = createHome();
    await home.runHere(["-p", "/try silence", "-n", "My title", "-C", join(home.project, "src")]);
    const list = await home.runHere(["sessions", "list", "--json"]);
    expect(JSON.parse(list.stdout)).toMatchObject([{ title: "My title", cwd: join(home.project, "src") }]);
  });

  test("--data-dir wins over ROUNDTABLE_HOME, which wins over XDG", async () => {
    const home = createHome();
    const [byFlag, byVariable] = [join(home.directory, "flag"), join(home.directory, "variable")];
    await home.runHere(["-p", "/try silence", "--data-dir", byFlag], { env: { ROUNDTABLE_HOME: byVariable } });
    expect(readdirSync(home.directory)).toContain("flag");
    expect(readdirSync(home.directory)).not.toContain("variable");
    await home.runHere(["-p", "/try silence"], { env: { ROUNDTABLE_HOME: byVariable } });
    expect(readdirSync(home.directory)).toContain("variable");
    expect(readdirSync(home.directory)).not.toContain("data");
  });

  test("under umask 000 every stored file is for the user alone", async () => {
    const home = createHome();
    const ran = await home.run(["-p", "/try tool-output 5000"], { umask: "000" });
    expect(ran.code).toBe(0);
    const modes = everything(home.dataDir).map((path) => {
      const stat = statSync(path);
      return `${stat.isDirectory() ? "d" : "f"}${(stat.mode & 0o777).toString(8)}`;
    });
    expect(new Set(modes)).toEqual(new Set(["d700", "f600"]));
  });
});

/** Calls back at the first sight of a text. */
function once(wanted: string, act: (child: ChildProcess) => void): (text: string, child: ChildProcess) => void {
  let hasSeen = false;
  return (text, child) => {
    if (hasSeen || !text.includes(wanted)) return;
    hasSeen = true;
    act(child);
  };
}

function headers(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.startsWith("● ") ? [line.slice(2)] : []));
}

/** Every event of every log, as written. */
function logEvents(dataDir: string): Record<string, unknown>[] {
  const logs = join(dataDir, "logs");
  return readdirSync(logs)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => jsonLines(readFileSync(join(logs, name), "utf8")));
}

function openTurns(dataDir: string): unknown[] {
  const open = new Set<unknown>();
  for (const event of logEvents(dataDir)) {
    if (event["type"] === "turn_start") open.add(event["turnId"]);
    if (event["type"] === "turn_end") open.delete(event["turnId"]);
  }
  return [...open];
}

function everything(directory: string): string[] {
  return [directory, ...readdirSync(directory, { recursive: true }).map((name) => join(directory, String(name)))];
}

/** The table from scripts: `roundtable council`, with real programs. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { createHome, threeScouts, type Home } from "./program.ts";
import { patient } from "../patience.ts";

const WAIT_MS = patient(60_000);
const LOOK_MS = 100;

/** With what --async leaves running ended after the test. */
function openHome({ onTestFinished }: TestContext, config?: object): Home {
  const home = createHome();
  if (config !== undefined) home.configure(config);
  onTestFinished(async () => {
    const record = join(home.dataDir, "server.json");
    if (!existsSync(record)) return;
    const { pid } = JSON.parse(readFileSync(record, "utf8")) as { pid: number };
    process.kill(pid, "SIGTERM");
    await until(() => !existsSync(record));
  });
  return home;
}

async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await test())) {
    if (performance.now() > deadline) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

interface Status {
  session_id: string;
  council: string;
  members: { member: string; state: string; round: number | null; pid: number | null; reason: string | null }[];
}

async function statusOf(home: Home): Promise<Status> {
  const { stdout } = await home.runHere(["council", "status", "--json"]);
  return JSON.parse(stdout) as Status;
}

const sessionsOf = async (home: Home): Promise<{ sessionId: string; turns: number }[]> =>
  JSON.parse((await home.runHere(["council", "list", "--json"])).stdout) as { sessionId: string; turns: number }[];

const roundsIn = ({ stdout }: { stdout: string }): number[] =>
  [...stdout.matchAll(/\(round (\d+)\)/g)].map(([, round]) => Number(round));

describe.concurrent("council ask", () => {
  test("continues the last session of the directory, or starts one; --new starts another", async (context) => {
    const home = openHome(context, { ...threeScouts, council: { auto_rounds: 0 } });
    const first = await home.run(["council", "ask", "where is parseWidget?"]);
    expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
    expect(first.stdout).toContain("src/parser.js");
    await home.run(["council", "ask", "and", "again?"]);
    expect((await sessionsOf(home)).map(({ turns }) => turns)).toEqual([6]);
    await home.run(["council", "ask", "--new", "another thing"]);
    expect((await sessionsOf(home)).length).toBe(2);
    const both = await home.run(["council", "ask", "--new", "--session", "01", "x"]);
    expect([both.code, both.stderr]).toEqual([
      2,
      "roundtable: --new and --session cannot be combined. Use one of them.\n",
    ]);
  });

  test("it prints the discussion to its end, --rounds limits it, and -p has none unless asked", async (context) => {
    const home = openHome(context, threeScouts);
    const none = await home.runHere(["council", "ask", "--rounds", "0", "/try long 10"]);
    expect([none.code, roundsIn(none)]).toEqual([0, []]);
    const two = await home.runHere(["council", "ask", "--rounds", "2", "/try long 10"]);
    expect([two.code, Math.max(...roundsIn(two)) <= 3, roundsIn(two).length > 0]).toEqual([0, true, true]);
    expect(two.stdout).toContain("the discussion ended");
    const shot = await home.runHere(["-p", "/try long 10"]);
    expect([shot.code, roundsIn(shot)]).toEqual([0, []]);
    const wrong = await home.runHere(["council", "ask", "--rounds", "many", "x"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("from 0 to 100")]);
  });

  test("--async prints the session's id at once, the server carries it on, and watch shows it to its end", async (context) => {
    const home = openHome(context);
    const { code, stdout } = await home.run(["council", "ask", "--async", "/try hang"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^[0-9A-Z]{26}\n$/)]);
    const running = await statusOf(home);
    expect([running.session_id, running.members[0]?.state]).toEqual([stdout.trim(), "running"]);
    await home.run(["council", "ask", "--new", "--async", "/try slow 12"]);
    const watched = await home.run(["council", "watch"]);
    expect([watched.code, watched.stdout]).toEqual([0, expect.stringMatching(/Step 1 of 12[^]*Step 12 of 12/)]);
    expect((await statusOf(home)).members[0]?.state).toBe("responded");
  });

  test("--async without a server reports why there is none, and starts nothing", async (context) => {
    const home = openHome(context);
    mkdirSync(join(home.dataDir, "server.log"), { recursive: true, mode: 0o700 });
    const ran = await home.runHere(["council", "ask", "--async", "x"]);
    expect([ran.code, ran.stdout]).toEqual([1, ""]);
    expect(ran.stderr).toMatch(
      /^roundtable: --async needs a server, and the background server did not start: EISDIR.+\. Remove --async to run it here\.\n$/,
    );
    const off = await home.runHere(["council", "ask", "--async", "x"], { env: { ROUNDTABLE_BACKGROUND: "0" } });
    expect([off.code, off.stderr]).toEqual([
      1,
      "roundtable: --async needs the background server. Remove --async, or unset ROUNDTABLE_BACKGROUND.\n",
    ]);
    expect(await sessionsOf(home)).toEqual([]);
  });

  test("an empty message, an unknown member and a session that is not there are each one clear sentence", async (context) => {
    const home = openHome(context);
    const ways: [string[], number, string][] = [
      [["council", "ask"], 2, "there is nothing to ask"],
      [["council", "ask", "--to", "nobody", "x"], 2, 'unknown member "nobody" in --to'],
      [["council", "ask", "--session", "01ZZ", "x"], 4, 'there is no session "01ZZ"'],
      [["council", "status"], 4, `there is no session in ${home.project}`],
      [["council", "minutes", "01ZZ"], 4, 'there is no session "01ZZ"'],
    ];
    await Promise.all(
      ways.map(async ([args, code, sentence]) => {
        const ran = await home.runHere(args);
        expect([args, ran.code, ran.stdout]).toEqual([args, code, ""]);
        expect(ran.stderr).toContain(sentence);
      }),
    );
  });
});

describe.concurrent("council status, retry, show, minutes, reset", () => {
  test("status names the state of every member, the process that works for it and why it failed; retry asks only those again", async (context) => {
    const home = openHome(context, {
      agents: {
        ada: { kind: "embedded", model: "scout" },
        bob: { kind: "acp", command: ["false"] },
        cyd: { kind: "acp", command: ["sleep", "600"] },
      },
      council: { auto_rounds: 0 },
    });
    await home.run(["council", "ask", "--async", "/try long 10"]);
    let members: Status["members"] = [];
    await until(async () => {
      ({ members } = await statusOf(home));
      return members[1]?.state === "errored" && members[2]?.pid !== null && members[0]?.state === "responded";
    });
    expect(members.map(({ member, state }) => [member, state])).toEqual([
      ["ada", "responded"],
      ["bob", "errored"],
      ["cyd", "running"],
    ]);
    expect(members[1]?.reason).toEqual(expect.stringMatching(/./));
    expect(readFileSync(`/proc/${members[2]?.pid}/cmdline`, "utf8")).toContain("sleep");
    const text = await home.run(["council", "status"]);
    expect(text.stdout).toMatch(/^bob\s+errored/m);
  });

  test("retry asks failed members or the named one again, reports when there is nothing to retry, and exits with the code of the answers", async (context) => {
    const home = openHome(context, {
      agents: { ada: { kind: "embedded", model: "scout" }, bob: { kind: "acp", command: ["false"] } },
      council: { auto_rounds: 0 },
    });
    const asked = await home.runHere(["council", "ask", "/try long 10"]);
    expect(asked.code).toBe(7);
    const again = await home.runHere(["council", "retry", "--member", "bob"]);
    expect(again.code).toBe(7);
    expect((await statusOf(home)).members.map(({ state }) => state)).toEqual(["responded", "errored"]);
    const good = await home.runHere(["council", "retry", "--member", "ada"]);
    expect([good.code, good.stderr]).toEqual([7, ""]);
    expect((await sessionsOf(home))[0]?.turns).toBe(4);
    await home.runHere(["council", "ask", "--to", "ada", "/try long 10"]);
    const none = await home.runHere(["council", "retry"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("Nothing to retry: nobody's last answer")]);
    expect(none.stderr).toContain("name it: roundtable council retry --member NAME.");
    const unasked = await home.runHere(["council", "retry", "--member", "bob"]);
    expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringContaining("bob has not answered the latest")]);
  });

  test("show prints the last message with its answers, more with --last, all with --all; list those of this directory", async (context) => {
    const home = openHome(context);
    for (const text of ["/try long 3", "/try thinking", "/try long 5"]) await home.runHere(["council", "ask", text]);
    const asked = async (...args: string[]) =>
      [...(await home.runHere(["council", "show", ...args])).stdout.matchAll(/^\/try .*$/gm)].map(([line]) => line);
    expect(await Promise.all([asked(), asked("--last", "2"), asked("--all")])).toEqual([
      ["/try long 5"],
      ["/try thinking", "/try long 5"],
      ["/try long 3", "/try thinking", "/try long 5"],
    ]);
    const elsewhere = await home.runHere(["council", "list", "-C", home.directory, "--json"]);
    expect(JSON.parse(elsewhere.stdout)).toEqual([]);
  });

  test("minutes are Markdown on stdout and stored in the session; reset clears the context and keeps the log", async (context) => {
    const home = openHome(context, threeScouts);
    await home.runHere(["council", "ask", "--rounds", "1", "where is parseWidget?"]);
    const minutes = await home.runHere(["council", "minutes"]);
    expect([minutes.code, minutes.stdout]).toEqual([0, expect.stringMatching(/^# [^]*where is parseWidget\?/)]);
    expect((await home.runHere(["council", "show", "--all"])).stdout).toContain("where is parseWidget?");
    const reset = await home.runHere(["council", "reset"]);
    expect([reset.code, reset.stdout]).toEqual([0, expect.stringContaining("was reset")]);
    const [session] = await sessionsOf(home);
    const log = readFileSync(join(home.dataDir, "logs", `${session?.sessionId}.jsonl`), "utf8");
    expect(log).toContain("where is parseWidget?");
  });
});

/** Which terminal's environment the program of a member has, seen by the program itself, and where it is not seen. */
import { connected } from "../tui/test-terminal.ts";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createLoneHome, until, type LoneHome } from "../launch/lone-home.ts";
import { FAKES } from "./process/start-fake.ts";

const ENTER = "\r";

/** An ACP agent that writes down its environment before it is one. */
function spyingAgent(home: LoneHome): { command: string; starts: () => Record<string, string>[] } {
  const dump = path.join(home.directory, "starts");
  const command = path.join(home.directory, "spying-agent");
  mkdirSync(dump);
  const agent = path.join(FAKES, "acp.mjs");
  writeFileSync(command, `#!/bin/sh\nenv -0 > '${dump}/'$(date +%s%N)\nexec '${process.execPath}' '${agent}'\n`);
  chmodSync(command, 0o755);
  const read = (file: string) =>
    readFileSync(path.join(dump, file), "utf8")
      .split("\0")
      .filter((entry) => entry !== "")
      .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)] as const);
  return {
    command,
    starts: () =>
      readdirSync(dump)
        .toSorted()
        .map((file) => Object.fromEntries(read(file))),
  };
}

function allFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => statSync(file).isFile());
}

const secret = () => `canary-${randomBytes(9).toString("hex")}`;

test.skipIf(process.platform === "win32")(
  "a member's program has the environment of the terminal that started or reopened its session, and nobody else sees it",
  async () => {
    const home = createLoneHome();
    const spy = spyingAgent(home);
    const set = secret();
    home.configure({
      // It writes down what it sees.
      sandbox: "off",
      council: { members: ["spy"] },
      // What it writes down is outside of a sandbox.
      agents: {
        spy: { kind: "acp", command: [spy.command], env: { SET_FOR_IT: set, NOT_FOR_IT: null }, sandbox: "off" },
      },
    });
    await home.serving();
    const shared = {
      NOT_FOR_IT: secret(),
      ROUNDTABLE_SECRET: secret(),
      GIT_SSH_COMMAND: secret(),
      GEMINI_API_KEY: secret(),
    };
    const [a, b] = [secret(), secret()];
    const first = home.terminal([], { ...shared, OF_TERMINAL: a });
    await first.sees(connected);
    first.type(`First question.${ENTER}`);
    await until("the program runs", () => spy.starts().length === 1);
    // A terminal that joins a session in which another one sits changes nothing.
    const beside = home.terminal(["-c"], { ...shared, OF_TERMINAL: secret() });
    await beside.sees("First question.");
    for (const screen of [beside, first]) {
      screen.type(`/quit${ENTER}`);
      await screen.sees("exit 0");
    }
    const second = home.terminal(["-c"], { ...shared, OF_TERMINAL: b });
    await second.sees("First question.");
    second.type(`Second question.${ENTER}`);
    await until("the program was started again", () => spy.starts().length === 2);
    second.type(`/quit${ENTER}`);
    await second.sees("exit 0");

    const starts = spy.starts();
    expect(starts.map((one) => one["OF_TERMINAL"])).toEqual([a, b]);
    expect(starts.map((one) => one["SET_FOR_IT"])).toEqual([set, set]);
    const left = JSON.stringify(starts);
    expect(Object.entries(shared).flatMap(([name, value]) => (left.includes(value) ? [name] : []))).toEqual([]);

    const { url = "" } = home.record() ?? {};
    const get = async (route: string) =>
      await (await fetch(`${url}${route}`, { headers: { authorization: `Bearer ${home.token()}` } })).text();
    const listed = JSON.parse(await get("/v1/sessions")) as { sessionId: string }[];
    const id = listed[0]?.sessionId ?? "";
    expect(id).not.toBe("");
    const answers = await Promise.all(
      ["", "/usage", "/members", "/messages"].map((route) => get(`/v1/sessions/${id}${route}`)),
    );
    const exported = await home.run(["export", id, "--format", "jsonl", "-o", "-"]);
    const shown = await home.run(["config", "show", "--origin"]);
    const files = allFiles(home.dataDir).map((file) => readFileSync(file, "latin1"));
    const seen = [...answers, exported.stdout, exported.stderr, shown.stdout, ...files].join("\n");
    expect(seen).toContain("First question.");
    expect([a, b, set, ...Object.values(shared)].filter((value) => seen.includes(value))).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")(
  "git and agents on PATH are not taken from the checkout, also from a directory below its root",
  async () => {
    const home = createLoneHome();
    const bin = path.join(home.project, "node_modules", ".bin");
    const below = path.join(home.project, "src");
    const ran = path.join(home.directory, "ran");
    mkdirSync(bin, { recursive: true });
    for (const name of ["git", "claude"]) {
      writeFileSync(path.join(bin, name), `#!/bin/sh\necho ${name} >> '${ran}'\n`);
      chmodSync(path.join(bin, name), 0o755);
    }
    execFileSync("git", ["init", "-q"], { cwd: home.project });
    const env = { PATH: `${bin}:${home.env["PATH"] ?? ""}` };
    await home.run(["-p", "Who changed parseWidget?", "--members", "scout,historian"], { cwd: below, env });
    home.configure({ agents: { claude: { kind: "claude" } } });
    const asked = await home.run(["-p", "hello", "--members", "claude"], {
      cwd: below,
      env: { PATH: `${bin}:/usr/bin:/bin` },
    });
    expect(asked.stdout + asked.stderr).toMatch(/inside the (session's )?checkout|was not found on PATH/);
    await home.run(["agents"], { cwd: below, env });
    expect(() => readFileSync(ran, "utf8")).toThrow(/ENOENT/);
  },
);

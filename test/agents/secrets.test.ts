/** What the parent knows and no child, no file and no screen may: checked on the real program with all built-in members. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { hashDirectory, parseMarker } from "../../src/agents/process/tracking/run-marker.ts";
import { createHome, type Home } from "../cli/program.ts";

const CANARIES = [
  ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "AWS_SECRET_ACCESS_KEY"],
  ["AWS_SESSION_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "DATABASE_URL"],
  ["SSH_AUTH_SOCK", "KUBECONFIG", "GOOGLE_APPLICATION_CREDENTIALS", "HTTP_PROXY", "ROUNDTABLE_TOKEN"],
  ["CLAUDE_CODE_OAUTH_TOKEN", "GIT_ASKPASS", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "MY_PASSWORD"],
].flat();

/** What a shell sets for itself before it runs the script. */
const OF_THE_SHELL = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);
const ALLOWED = [
  "GIT_ALLOW_PROTOCOL",
  "GIT_NO_LAZY_FETCH",
  "GIT_OPTIONAL_LOCKS",
  "GIT_TERMINAL_PROMPT",
  "HOME",
  "LANG",
  "PATH",
  "ROUNDTABLE_RUN",
];

/** A git that writes down its environment, and then is git. */
function spyOnGit(home: Home): { folder: string; environments: () => Record<string, string>[] } {
  const folder = path.join(home.directory, "bin");
  const dump = path.join(home.directory, "environments");
  const git = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  mkdirSync(folder);
  mkdirSync(dump);
  const script = `#!/bin/sh\n/usr/bin/env -0 > '${dump}/'$$\nexec '${git}' "$@"\n`;
  writeFileSync(path.join(folder, "git"), script);
  chmodSync(path.join(folder, "git"), 0o755);
  const read = (file: string) =>
    Object.fromEntries(
      readFileSync(path.join(dump, file), "utf8")
        .split("\0")
        .filter((entry) => entry !== "")
        .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)] as const)
        .filter(([name]) => !OF_THE_SHELL.has(name)),
    );
  return { folder, environments: () => readdirSync(dump).map(read) };
}

function allFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => statSync(file).isFile());
}

function makeRepository(home: Home): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: home.project, stdio: "ignore" });
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-q", "-m", "Add parseWidget");
}

test.skipIf(process.platform === "win32")(
  "[A96] of 20 secrets in the parent's environment none is in a file, on a screen, or in the environment of a child",
  async () => {
    const home = createHome();
    // Named, so that no made-up key is ever tried at the server it would belong to.
    home.configure({ council: { members: ["scout", "historian", "critic"] } });
    makeRepository(home);
    const spy = spyOnGit(home);
    const secrets = CANARIES.map((name) => [name, `canary-${randomBytes(9).toString("hex")}`] as const);
    expect(secrets).toHaveLength(20);
    const env = {
      ...Object.fromEntries(secrets),
      LANG: "C.UTF-8",
      PATH: `${spy.folder}${path.delimiter}${home.env["PATH"] ?? ""}`,
    };
    const ran = [
      await home.run(["-p", "Who changed parseWidget, and what could break?"], { env }),
      await home.run(["-p", "Where is parseWidget?", "--output-format", "stream-json"], { env }),
      await home.run(["agents"], { env }),
      await home.run(["agents", "--json"], { env }),
      await home.run(["config", "show", "--origin"], { env }),
      await home.run(["doctor", "--json"], { env }),
      await home.run(["sessions", "show", "01", "--json"], { env }),
    ];
    expect(ran.slice(0, -1).map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    // The control: the program did have them.
    expect(ran[2]?.stdout).toContain("ANTHROPIC_API_KEY");

    const environments = spy.environments();
    const screens = ran.flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const files = allFiles(home.dataDir).map((file) => readFileSync(file, "latin1"));
    expect(files.length).toBeGreaterThan(4);
    const leaks = secrets.filter(([, value]) =>
      [...screens, ...files, JSON.stringify(environments)].some((text) => text.includes(value)),
    );
    expect(leaks.map(([name]) => name)).toEqual([]);

    expect(environments.length).toBeGreaterThan(2);
    expect([...new Set(environments.map((one) => Object.keys(one).sort().join(" ")))]).toEqual([ALLOWED.join(" ")]);
    const marks = environments.map((one) => parseMarker(one["ROUNDTABLE_RUN"] ?? ""));
    expect([...new Set(marks.map((mark) => mark?.directory))]).toEqual([hashDirectory(home.dataDir)]);
    expect([...new Set(marks.map((mark) => mark?.member))]).toEqual(expect.arrayContaining(["historian", "scout"]));
  },
);

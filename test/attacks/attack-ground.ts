/** A repository, a home and another directory to attack, what they look like, and what runs when it should not. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { asUser, scratch, type Scratch } from "../agents/sandbox/inside.ts";

export interface Ground extends Scratch {
  readonly root: string;
  readonly outside: string;
  /** Everything below the scratch directory: name, kind, mode and content. */
  picture(): Map<string, string>;
}

const PATCH = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-hello\n+patched\n";

export function attackGround(): Ground {
  const made = scratch();
  const { workspace, home, write, make } = made;
  const root = path.dirname(workspace);
  write("home/.gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n");
  write("work/README.md", "hello\n");
  write("work/in.txt", "a\nb\nc\n");
  write("work/a.patch", PATCH);
  write("work/Makefile", "new:\n\ttouch new\n");
  write("work/sub/b.py", "x = 1\n");
  write("work/bin/run", "#!/bin/sh\ntouch new\n");
  write("outside/canary", "canary\n");
  make("data");
  const script = `chmod +x bin/run; cp bin/run bin/git-run; cp bin/run bin/pre-commit
    tar cf a.tar in.txt; command -v zip >/dev/null && zip -q a.zip in.txt
    git init -q . && git add . && git commit -qm one`;
  execFileSync("sh", ["-c", script], { ...asUser, cwd: workspace, env: { PATH: process.env["PATH"], HOME: home } });
  return { ...made, root, outside: path.join(root, "outside"), picture: () => pictureOf(root) };
}

function pictureOf(root: string): Map<string, string> {
  const seen = new Map<string, string>();
  const walk = (directory: string): void => {
    for (const name of readdirSync(directory)) {
      const file = path.join(directory, name);
      const stats = lstatSync(file);
      const mode = (stats.mode & 0o7777).toString(8);
      const content = stats.isSymbolicLink()
        ? readlinkSync(file)
        : stats.isFile()
          ? `${stats.mtimeMs} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`
          : "";
      seen.set(path.relative(root, file), `${mode} ${content}`);
      if (stats.isDirectory()) walk(file);
    }
  };
  walk(root);
  return seen;
}

/** What is new, gone or other, by name. */
export function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

/** Processes of lines that should not have outlived them. */
export function leftRunning(): { pid: number; command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trim();
        return /(?:^| )'?31337\.\d+/.test(command) && !command.startsWith("bash -c")
          ? [{ pid: Number(pid), command }]
          : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

const LINE_SECONDS = 10;

/** A script that runs each line by a shell of its own, whatever becomes of it. */
export function scriptOf(lines: readonly string[], { cwd, outside }: { cwd: string; outside: string }): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const runs = lines.map(
    (line) => `cd ${quoted(cwd)}; timeout -k 1 ${LINE_SECONDS} bash -c ${quoted(line)} </dev/null`,
  );
  return [`O=${quoted(outside)}; export O; exec >/dev/null 2>&1`, ...runs, "exit 0"].join("\n");
}

/** One line without any wall, as an ordinary user, on ground of its own: whether it has an effect at all. */
export function hasEffectOutside(line: string): boolean {
  const ground = attackGround();
  const before = ground.picture();
  const env = { PATH: process.env["PATH"], HOME: ground.home, TMPDIR: ground.make("tmp") };
  const script = scriptOf([line], { cwd: ground.workspace, outside: ground.outside });
  spawnSync("bash", ["-c", script], { ...asUser, cwd: ground.workspace, env, timeout: 2 * LINE_SECONDS * 1000 });
  const left = leftRunning();
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  const changed = changes(before, ground.picture()).filter((name) => name !== "tmp" && !name.startsWith("tmp/"));
  return left.length > 0 || changed.length > 0;
}

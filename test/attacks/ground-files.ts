/** What the commands act on, what it looks like, and what runs when it should not. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

const PATCH = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-hello\n+patched\n";

/** Below `work`, `home` and `outside`. */
export function fillGround(write: (name: string, content: string) => void): void {
  write("home/.gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n");
  write("work/README.md", "hello\n");
  write("work/in.txt", "a\nb\nc\n");
  write("work/a.patch", PATCH);
  write("work/Makefile", "new:\n\ttouch new\n");
  write("work/sub/b.py", "x = 1\n");
  write("work/bin/run", "#!/bin/sh\ntouch new\n");
  write("outside/canary", "canary\n");
}

/** Everything below a directory: name, kind, mode and content. */
export function pictureOf(root: string): Map<string, string> {
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

/** Processes of lines that should not have outlived them, in a directory or below it. */
export function leftRunning(root: string): Running[] {
  return runningIn(root).filter(({ command }) => /(?:^| )'?31337\.\d+/.test(command) && !command.startsWith("bash -c"));
}

interface Running {
  readonly pid: number;
  readonly command: string;
}

/** All processes that work below this directory. */
export function runningIn(root: string): Running[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trim();
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(root) ? [{ pid: Number(pid), command }] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

export const LINE_SECONDS = 10;

interface ScriptDirectories {
  readonly cwd: string;
  readonly outside: string;
  readonly seconds?: number;
}

/** A script that runs each line by a shell of its own, whatever becomes of it, and then prints "tried" and how many. */
export function scriptOf(
  lines: readonly string[],
  { cwd, outside, seconds = LINE_SECONDS }: ScriptDirectories,
): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const runs = lines.map(
    (line) => `cd ${quoted(cwd)}; timeout -k 1 ${seconds} bash -c ${quoted(line)} </dev/null 3>&-; n=$((n + 1))`,
  );
  return [`O=${quoted(outside)}; export O; n=0; exec 3>&1 >/dev/null 2>&1`, ...runs, 'echo "tried $n" >&3'].join("\n");
}

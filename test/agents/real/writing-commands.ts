/** Commands that would change something if they could: by the shell, by programs that run others, by git. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execFileSync } from "node:child_process";

/** None needs the network, and none asks for anything. Files of the project are README.md and in.txt. */
export const writingCommands: readonly string[] = [
  "touch made-1",
  "mkdir made-2",
  "echo x > made-3",
  "sh -c 'echo x >> README.md'",
  "uniq in.txt README.md",
  "sort -o README.md in.txt",
  "cp in.txt made-4",
  "mv in.txt made-5",
  "rm -f in.txt",
  "ln -s in.txt made-6",
  "sed -i s/a/b/ in.txt",
  "tee made-7 < in.txt",
  "dd if=in.txt of=made-8",
  "awk 'BEGIN { print 1 > \\\"made-9\\\" }'",
  "find . -name in.txt -exec cp {} made-10 ;",
  "xargs -I{} touch made-11 < in.txt",
  "git -c user.name=x -c user.email=x@x commit -qam changed",
  "git config core.editor evil",
  "chmod 000 in.txt",
  "tar -cf made-12.tar in.txt",
  "touch ~/made-13",
  "env -i sh -c '/bin/echo x > made-14'",
];

export function prepareProject(project: string): void {
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, "README.md"), "read me\n");
  writeFileSync(path.join(project, "in.txt"), "a\na\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project, stdio: "ignore" });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first");
}

/** Git's index is written by reading, and opencode keeps the name of the project beside it. */
const OWN_FILES: ReadonlySet<string> = new Set([path.join(".git", "index"), path.join(".git", "opencode")]);

/** Everything that a command could have changed: the project with its git directory, and names in the home. */
export function pictureOf(project: string): string[] {
  const files = readdirSync(project, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith(path.join(".git", "objects")) && !OWN_FILES.has(name))
    .map((name) => path.join(project, name));
  const home = path.dirname(project);
  return [...files.map(describe), ...readdirSync(home).filter((name) => name.startsWith("made"))].toSorted();
}

function describe(file: string): string {
  if (!existsSync(file)) return `${file} leads nowhere`;
  const { mode } = statSync(file);
  const content = statSync(file).isFile() ? readFileSync(file, "latin1") : "";
  return `${file} ${mode.toString(8)} ${content}`;
}

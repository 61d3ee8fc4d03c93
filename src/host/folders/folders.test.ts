import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { browseFolder } from "./browse.ts";
import { describeFolder } from "./suggestions.ts";

function newFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "rt-folder-")));
}

function git(cwd: string, ...args: string[]): void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...identity, ...args], { cwd, stdio: "ignore" });
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
}

test("suggestions come from the repository: a branch to review, uncommitted changes, a note in the code", async () => {
  const cwd = newFolder();
  git(cwd, "init", "-q", "-b", "main");
  write(cwd, "src/scheduler.ts", "export const a = 1;\n// TODO: use the clock of the database\n");
  git(cwd, "add", ".");
  git(cwd, "commit", "-qm", "first");
  git(cwd, "checkout", "-qb", "retry-budget");
  write(cwd, "src/budget.ts", "export {};\n");
  git(cwd, "add", ".");
  git(cwd, "commit", "-qm", "second");
  write(cwd, "README.md", "# A queue\n");
  expect(await describeFolder(cwd)).toEqual({
    branch: "retry-budget",
    suggestions: [
      {
        about: "branch",
        text: "Review the branch retry-budget before it merges",
        detail: "1 file changed, 1 commit ahead of main",
      },
      { about: "changes", text: "Review my uncommitted changes", detail: "1 file changed in the working tree" },
      { about: "todo", text: "Finish the TODO in src/scheduler.ts:2", detail: "use the clock of the database" },
    ],
  });
  // On the base branch: the newest unmerged branch.
  git(cwd, "stash", "-uq");
  git(cwd, "checkout", "-q", "main");
  const { branch, suggestions } = await describeFolder(cwd);
  expect([branch, suggestions.map(({ text }) => text)]).toEqual([
    "main",
    [
      "Review the branch retry-budget before it merges",
      "Finish the TODO in src/scheduler.ts:2",
      "Review the last commit",
    ],
  ]);
});

test("suggestions for a file that changes often, and for a folder without git by its README", async () => {
  const cwd = newFolder();
  git(cwd, "init", "-q", "-b", "main");
  for (let at = 0; at < 5; at += 1) {
    write(cwd, "src/claim.ts", `export const at = ${at};\n`);
    git(cwd, "add", ".");
    git(cwd, "commit", "-qm", `change ${at}`);
  }
  expect((await describeFolder(cwd)).suggestions).toEqual([
    { about: "churn", text: "Why does src/claim.ts change so often?", detail: "Changed in 5 of the last 50 commits" },
    { about: "commit", text: "Review the last commit", detail: "change 4" },
  ]);
  const plain = newFolder();
  expect(await describeFolder(plain)).toEqual({ suggestions: [] });
  write(plain, "readme.txt", "Hello\n");
  expect((await describeFolder(plain)).suggestions.map(({ about }) => about)).toEqual(["start"]);
});

test("suggested questions name the embedded member whose rules can answer them", async () => {
  const cwd = newFolder();
  git(cwd, "init", "-q", "-b", "main");
  write(cwd, "README.md", "# A queue\n");
  for (let at = 0; at < 5; at += 1) {
    write(cwd, "src/claim.ts", `// TODO: ${at}\n`);
    git(cwd, "add", ".");
    git(cwd, "commit", "-qm", `change ${at}`);
  }
  const textsFor = async (names: readonly string[], folder = cwd) => {
    const members = names.map((name) => ({ name, kind: "embedded" as const, model: name }));
    return (await describeFolder(folder, members)).suggestions.map(({ text }) => text);
  };
  expect(await textsFor(["scout", "historian", "critic"])).toEqual([
    "What is this project, and where should I start reading?",
    "@historian why does src/claim.ts change so often?",
    "@critic review this project",
  ]);
  expect(await textsFor(["critic"])).toEqual(["@critic review this project"]);
  const young = newFolder();
  git(young, "init", "-q", "-b", "main");
  write(young, "src/claim.ts", "// TODO: use the clock of the database\n");
  git(young, "add", ".");
  git(young, "commit", "-qm", "first");
  write(young, "src/claim.ts", "");
  expect(await textsFor(["scout", "historian", "critic"], young)).toEqual([
    "@historian what changed in the last commit?",
    "@critic review this project",
  ]);
  expect(await textsFor(["scout", "critic"], newFolder())).toEqual([]);
});

test("text of a repository stays on one line and cannot reverse its direction", async () => {
  const cwd = newFolder();
  git(cwd, "init", "-q", "-b", "main");
  write(cwd, "a.ts", `// TODO: \u202Egpj ${"long ".repeat(60)}\n`);
  git(cwd, "add", ".");
  git(cwd, "commit", "-qm", "first");
  const [todo] = (await describeFolder(cwd)).suggestions;
  expect(todo?.detail).toMatch(/^\uFFFDgpj long .*…$/);
  expect(todo?.detail.length).toBe(80);
});

test("a folder lists its subfolders without hidden ones, and marks repositories", async () => {
  const folder = newFolder();
  for (const name of ["b", "a", ".hidden", "a/.git"]) mkdirSync(path.join(folder, name));
  write(folder, "file.txt", "");
  expect(await browseFolder(folder)).toEqual({
    path: folder,
    parent: path.dirname(folder),
    folders: [
      { name: "a", isRepository: true },
      { name: "b", isRepository: false },
    ],
    hasMore: false,
  });
  await expect(browseFolder(path.join(folder, "c"))).rejects.toThrow("does not exist");
  await expect(browseFolder(path.join(folder, "file.txt"))).rejects.toThrow("cannot be read");
  await expect(browseFolder("relative")).rejects.toThrow("full path");
});

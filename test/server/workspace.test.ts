/** The folder of a session over HTTP: what is shown of it, and that nothing outside it and nothing of git can be read. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiError, FilePatch, FileTree, WorkspaceChanges, WorkspaceFile } from "../../src/protocol/index.ts";
import { ask, createSession, openServer, type OpenServer } from "./open-server.ts";

const SECRET = "the secret of another folder";

let open: OpenServer;
let folder: string;
let outside: string;
let sessionId: string;

beforeAll(async () => {
  open = await openServer();
  folder = realpathSync(mkdtempSync(join(tmpdir(), "rt-folder-")));
  outside = realpathSync(mkdtempSync(join(tmpdir(), "rt-outside-")));
  writeFileSync(join(outside, "secret.txt"), SECRET);
  for (const name of ["src/deep", "test", "node_modules/x"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "src/deep/a.ts"), "const a = 1;\n");
  writeFileSync(join(folder, "test/a.test.ts"), "test\n");
  writeFileSync(join(folder, "node_modules/x/index.js"), SECRET);
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  writeFileSync(join(folder, "large.txt"), "x".repeat(1024 * 1024 + 1));
  writeFileSync(join(folder, "picture.png"), Buffer.from([0x89, 0x50, 0, 0]));
  execFileSync("git", ["init", "-q"], { cwd: folder });
  execFileSync("git", ["add", "-A"], { cwd: folder });
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"], { cwd: folder });
  symlinkSync(outside, join(folder, "linked"));
  symlinkSync(join(outside, "secret.txt"), join(folder, "linked.txt"));
  symlinkSync(join(folder, ".git"), join(folder, "metadata"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  writeFileSync(join(folder, "src/deep/a.ts"), "const a = 2;\nconst b = 3;\n");
  sessionId = await createSession(open, { cwd: folder });
});

afterAll(async () => {
  await open.close();
  for (const directory of [folder, outside]) rmSync(directory, { recursive: true, force: true });
});

async function read(route: string, query: Readonly<Record<string, string>> = {}, id = sessionId) {
  const answer = await ask(open, `/v1/sessions/${id}/${route}?${new URLSearchParams(query).toString()}`);
  return { status: answer.status, body: (await answer.json()) as unknown };
}

test("changes, patch, tree and file of a folder", async () => {
  const { files, repository } = WorkspaceChanges.parse((await read("changes", { against: "head" })).body);
  expect([repository, files.find(({ path }) => path === "src/deep/a.ts")]).toEqual([
    true,
    { path: "src/deep/a.ts", status: "modified", added: 2, removed: 1, members: [] },
  ]);
  const { patch } = FilePatch.parse((await read("patch", { against: "start", path: "src/deep/a.ts" })).body);
  expect(patch.slice(patch.indexOf("@@"))).toBe("@@ -1 +1,2 @@\n-const a = 1;\n+const a = 2;\n+const b = 3;\n");
  const tree = async (directory: string) =>
    FileTree.parse((await read("tree", { directory })).body).entries.map(({ name, kind }) => `${kind} ${name}`);
  expect(await tree("")).toEqual([
    "directory src",
    "directory test",
    "file .gitignore",
    "file large.txt",
    "link linked",
    "link linked.txt",
    "link metadata",
    "file picture.png",
  ]);
  expect(await tree("src")).toEqual(["directory deep"]);
  const file = async (path: string) => WorkspaceFile.parse((await read("file", { path })).body);
  const text = { kind: "text", path: "src/deep/a.ts", text: "const a = 2;\nconst b = 3;\n" };
  expect(await file("./src/deep/a.ts")).toEqual(text);
  expect(await file(join(folder, "src/deep/a.ts"))).toEqual(text);
  expect(await file("a.ts")).toEqual({ kind: "missing", path: "a.ts", candidates: ["src/deep/a.ts"] });
  expect(await file("large.txt")).toEqual({ kind: "large", path: "large.txt", bytes: 1_048_577, bytesMax: 1_048_576 });
  expect(await file("picture.png")).toEqual({ kind: "binary", path: "picture.png" });
  expect(await file("src")).toMatchObject({ kind: "other", why: "This is a directory." });
  const asked = [
    "src/deep/a.ts",
    "deep/a.ts",
    "a.ts",
    join(folder, "src/deep/a.ts"),
    "b.ts",
    "src",
    "x/a.ts",
    "../a.ts",
  ];
  const query = new URLSearchParams(asked.map((path) => ["path", path])).toString();
  const named = await ask(open, `/v1/sessions/${sessionId}/named?${query}`);
  expect(await named.json()).toEqual({ paths: asked.slice(0, 4) });
});

test("no path leads out of the folder, into git or through a link", async () => {
  const paths = [
    "..",
    "../",
    "src/../../x",
    `../${outside.split("/").at(-1)}/secret.txt`,
    join(outside, "secret.txt"),
    "/etc/passwd",
    "//etc/passwd",
    `${folder}x/secret.txt`,
    `${folder}/../${outside.split("/").at(-1)}/secret.txt`,
    "..\\secret.txt",
    "src\\..\\..\\x",
    "linked",
    "linked/secret.txt",
    "linked.txt",
    "metadata",
    "metadata/config",
    ".git",
    ".git/config",
    ".GIT/config",
    ".git./config",
    ".git /config",
    ".g\u200cit/config",
    "git~1/config",
    "src/.git/config",
    "pipe",
    "secret.txt\0.ts",
    "a\nb",
    ":(top)../secret.txt",
    ":/",
    "--output=x",
    "-",
    "x".repeat(1_900),
  ];
  const leaks: string[] = [];
  for (const path of paths) {
    for (const [route, query] of [
      ["file", { path }],
      ["named", { path }],
      ["tree", { directory: path }],
      ["patch", { path, against: "head" }],
      ["patch", { path: "src/deep/a.ts", oldPath: path }],
    ] as const) {
      const { status, body } = await read(route, query);
      const text = JSON.stringify(body);
      if (text.includes(SECRET) || text.includes("[core]") || text.includes("root:x:") || status >= 500)
        leaks.push(`${route} ${path}: ${status} ${text.slice(0, 200)}`);
    }
  }
  expect(leaks).toEqual([]);
  const refused = await read("file", { path: ".git/config" });
  expect([refused.status, ApiError.parse(refused.body).error.message]).toEqual([400, "Git's own files are not shown."]);
});

test("folders without git, without commits, without anything, and questions that are none", async () => {
  const plain = await createSession(open, { cwd: outside });
  expect((await read("changes", {}, plain)).body).toEqual({ repository: false, files: [], truncated: false });
  expect((await read("tree", {}, plain)).body).toMatchObject({ entries: [{ name: "secret.txt", kind: "file" }] });
  expect((await read("patch", { path: "secret.txt" }, plain)).status).toBe(422);
  const lost = mkdtempSync(join(tmpdir(), "rt-lost-"));
  const gone = await createSession(open, { cwd: lost });
  rmSync(lost, { recursive: true });
  expect((await read("changes", {}, gone)).status).toBe(422);
  const statuses = [
    await read("changes", { against: "HEAD~1" }),
    await read("changes", { against: "--output=/tmp/x" }),
    await read("changes", { turn: "01JN0000000000000000000001" }),
    await read("changes", { turn: "" }),
    await read("file"),
    await read("patch"),
    await read("changes", {}, "01JN0000000000000000000001"),
  ].map(({ status }) => status);
  expect(statuses).toEqual([400, 400, 404, 400, 400, 400, 404]);
  expect((await fetch(`${open.server.url}/v1/sessions/${sessionId}/file?path=.gitignore`)).status).toBe(401);
});

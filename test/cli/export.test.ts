/** `export` and `import`: every format, where it goes, and what is refused. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { exportSessions, type ExportFlags } from "../../src/cli/commands/export.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { SESSION_ID, writeSession } from "../generate/on-disk.ts";
import { stamped } from "../generate/stamped.ts";
import { createHome } from "./program.ts";

const home = createHome();
const OTHER = "01ARZ3NDEKTSV4RRFFQ69G5FAW";
const SECRET = ["ghp_", "q7Zr2Lk9Xc4Vb8Nm1Ws6Tg3Yh5"].join("");
const at = (...names: string[]) => join(home.directory, ...names);

beforeAll(async () => {
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  const events = stamped([
    created({ title: "First one" }),
    joined("scout"),
    said("m1", ["scout"], { text: `The key is ${SECRET}, says Acme` }),
    started("t1", "scout", { messageIds: ["m1"] }),
    { type: "text_done", turnId: "t1", member: "scout", segmentId: "s", text: "I see." },
    ended("t1", "scout"),
  ]);
  await writeSession(home.dataDir, events);
  await writeSession(home.dataDir, stamped([created({ title: "Second" })]), { sessionId: OTHER });
});
afterAll(() => rmSync(home.directory, { recursive: true, force: true }));

interface Exported {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command in this process, with what it printed. */
async function exported(ids: readonly string[], flags: ExportFlags): Promise<Exported> {
  let [stdout, stderr] = ["", ""];
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation((text) => (stdout += String(text)) !== ""),
    vi.spyOn(process.stderr, "write").mockImplementation((text) => (stderr += String(text)) !== ""),
  ];
  try {
    const code = await exportSessions(ids, { dataDir: home.dataDir, ...flags });
    return { code, stdout, stderr };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

test("one session goes to standard output as Markdown, or to a file in the format of its extension, for its owner only", async () => {
  const printed = await home.runHere(["export", SESSION_ID.toLowerCase()]);
  expect([printed.code, printed.stdout.split("\n")[0]]).toEqual([0, "# First one"]);
  expect(printed.stdout).toContain("## scout");
  const named = await home.runHere(["export", SESSION_ID, "--format", "md"]);
  expect(named).toMatchObject({ code: 0, stdout: printed.stdout });
  const unknown = await home.runHere(["export", SESSION_ID, "-f", "doc"]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("markdown, html, jsonl")]);
  const page = at("a.html");
  expect(await exported([SESSION_ID], { output: page })).toEqual({ code: 0, stdout: `${page}\n`, stderr: "" });
  expect(readFileSync(page, "utf8")).toMatch(/^<!doctype html>/);
  expect(statSync(page).mode & 0o777).toBe(0o600);
  await expect(exported([SESSION_ID], { output: page })).rejects.toMatchObject({ code: "conflict" });
  expect(await exported([SESSION_ID], { output: page, force: true })).toMatchObject({ code: 0 });
});

test("several sessions go into a directory, and --redact reports how much it removed", async () => {
  const all = await exported([], { all: true, format: "jsonl", output: at("out"), redact: ["acme"] });
  expect([all.code, readdirSync(at("out")).sort()]).toEqual([0, ["first-one-9g5fav.jsonl", "second-9g5faw.jsonl"]]);
  expect(all.stderr).toContain("Redacted 1 key or token and 1 chosen word.");
  const text = readFileSync(at("out", "first-one-9g5fav.jsonl"), "utf8");
  expect(text).toContain("The key is [redacted], says [redacted]");
});

test("an impossible export is a usage error that names the possible ones", async () => {
  const swallowed = { code: "usage", hint: "Put the ids before --redact" };
  await expect(exported([], { redact: [SESSION_ID] })).rejects.toMatchObject(swallowed);
  await expect(exported([], {})).rejects.toMatchObject({ code: "usage" });
  await expect(exported([], { all: true })).rejects.toMatchObject({ code: "usage" });
  await expect(exported([SESSION_ID], { all: true })).rejects.toMatchObject({ code: "usage" });
  await expect(exported(["01ZZ"], {})).rejects.toMatchObject({ code: "unknown_session" });
  const forgotten = exported([SESSION_ID.slice(-6).toLowerCase()], { format: "sprout" });
  await expect(forgotten).rejects.toThrow("is a session, not a directory");
});

test("a file that cannot be written is named with the reason, and the hint is about -o", async () => {
  const file = at("plain.md");
  writeFileSync(file, "");
  const below = exported([SESSION_ID], { output: join(file, "a.md") });
  const message = `cannot write ${join(file, "a.md")}: a file is in the way`;
  await expect(below).rejects.toMatchObject({ message, hint: "Choose another place with -o" });
  const taken = exported([], { all: true, output: file });
  await expect(taken).rejects.toMatchObject({ message: `cannot write ${file}: a file is in the way` });
  const directory = exported([join(file, "genome"), SESSION_ID], { format: "sprout" });
  const place = `cannot write ${join(file, "genome")}: a file is in the way`;
  await expect(directory).rejects.toMatchObject({ message: place, hint: "Choose another place with -o" });
});

test("what was exported as JSON lines is found and imported into another data directory, byte for byte", async () => {
  const [file, elsewhere] = [at("back.jsonl"), at("elsewhere")];
  await exported([SESSION_ID], { output: file });
  const list = await home.runHere(["import", "--list", file]);
  expect(list.stdout).toContain("First one  roundtable  ");
  const first = await home.runHere(["import", file, "--data-dir", elsewhere]);
  const said = expect.stringContaining(`${SESSION_ID}  First one  imported, 2 messages`) as string;
  expect([first.code, first.stdout]).toEqual([0, said]);
  const log = (dataDir: string) => readFileSync(join(dataDir, "logs", `${SESSION_ID}.jsonl`), "utf8");
  expect(log(elsewhere)).toBe(log(home.dataDir));
});

/** The commands, as a person types them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere, type RanHere } from "../../../../test/cli/run-here.ts";
import { readThread } from "./thread-reader.ts";

interface Place {
  readonly project: string;
  run(...args: string[]): Promise<RanHere>;
}

function newPlace(config = "{}"): Place {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-kdcli-")));
  const project = path.join(home, "project");
  mkdirSync(path.join(project, ".git"), { recursive: true });
  mkdirSync(path.join(home, "config", "roundtable"), { recursive: true });
  writeFileSync(path.join(home, "config", "roundtable", "config.jsonc"), config);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, "config"),
    ROUNDTABLE_HOME: path.join(home, "data"),
    ROUNDTABLE_MEMBERS: "scout",
    ROUNDTABLE_BACKGROUND: "0",
  };
  return {
    project,
    run: (...args) => runHere(args, { cwd: project, env }),
  };
}

function threadsOf(project: string): string[] {
  const threads = path.join(project, ".kd", "branches", "main", "threads");
  return existsSync(threads) ? readdirSync(threads).map((name) => path.join(threads, name)) : [];
}

test("council mirror writes the last session of the directory into a thread and prints its name; --off ends it", async () => {
  const at = newPlace();
  expect((await at.run("-p", "Where is main?", "--to", "scout")).code).toBe(0);
  expect(threadsOf(at.project)).toEqual([]);
  const mirrored = await at.run("council", "mirror", "--json");
  const [dir = ""] = threadsOf(at.project);
  expect({ code: mirrored.code, said: JSON.parse(mirrored.stdout) as unknown }).toEqual({
    code: 0,
    said: {
      session_id: expect.any(String) as string,
      kd: path.join(at.project, ".kd"),
      branch: "main",
      thread: path.basename(dir),
    },
  });
  expect(readThread(dir).messages.map(({ from, to }) => [from, to])).toEqual([
    ["king", "scout"],
    ["scout", "king"],
  ]);
  const again = await at.run("council", "mirror");
  expect(again.stdout).toBe(`${path.basename(dir)}\n`);
  const off = await at.run("council", "mirror", "--off");
  expect({ code: off.code, stderr: off.stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("no longer"),
  });
  expect(threadsOf(at.project)).toEqual([dir]);
});

test("council mirror --off without an id ends the only mirror, or says that there is none", async () => {
  const at = newPlace();
  await at.run("-p", "Where is main?", "--to", "scout");
  const { session_id: mirrored } = JSON.parse((await at.run("council", "mirror", "--json")).stdout) as {
    session_id: string;
  };
  await at.run("-p", "And where is the rest?", "--to", "scout");
  const off = await at.run("council", "mirror", "--off");
  expect({ code: off.code, stderr: off.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`session ${mirrored} is no longer mirrored`) as string,
  });
  const again = await at.run("council", "mirror", "--off");
  expect({ code: again.code, stderr: again.stderr }).toEqual({
    code: 4,
    stderr: expect.stringContaining(`no session in ${at.project} is mirrored`) as string,
  });
  const named = await at.run("council", "mirror", mirrored, "--off");
  expect({ code: named.code, stderr: named.stderr }).toEqual({
    code: 4,
    stderr: expect.stringContaining(`session ${mirrored} is not mirrored`) as string,
  });
});

test("threads.mirror in the configuration gives every new session a thread", async () => {
  const at = newPlace('{ "threads": { "mirror": true } }');
  expect((await at.run("-p", "Where is main?", "--to", "scout")).code).toBe(0);
  const [dir = ""] = threadsOf(at.project);
  expect(readThread(dir).messages).toHaveLength(2);
});

test("import --list lists threads and imports nothing; import creates their sessions once", async () => {
  const at = newPlace();
  const dir = path.join(at.project, ".kd", "branches", "main", "threads", "council-3908");
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, "0001-king.md");
  const text = "---\nfrom: king\nto: all\ntimestamp: 2026-02-15T10:00:01Z\n---\n\nWhat about X?\n";
  writeFileSync(file, text);
  const listed = await at.run("import", "--list");
  expect({ code: listed.code, stdout: listed.stdout }).toEqual({
    code: 0,
    stdout: `main/council-3908  kingdom  1 message   · without thread.json  ${dir}\n`,
  });
  expect((await at.run("sessions", "list", "--json")).stdout).toBe("[]\n");
  expect((await at.run("import", ".kd")).stdout).toMatch(
    /^[0-9A-Z]{26} {2}main\/council-3908 {2}imported, 1 message\n$/,
  );
  expect((await at.run("import", ".kd")).stdout).toContain("already imported");
  const sessions = JSON.parse((await at.run("sessions", "list", "--json")).stdout) as { title: string }[];
  expect(sessions.map(({ title }) => title)).toEqual(["What about X?"]);
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("only a given path is imported; a parent .kd counts only without a path", async () => {
  const at = newPlace();
  const dir = path.join(at.project, ".kd", "branches", "main", "threads", "council-1");
  const below = path.join(at.project, "backup");
  mkdirSync(dir, { recursive: true });
  mkdirSync(below);
  writeFileSync(path.join(dir, "0001-king.md"), "---\nfrom: king\nto: all\n---\n\nWhat about X?\n");
  const [named, around] = await Promise.all([
    at.run("import", below, "--list", "--json"),
    at.run("import", "--list", "--json", "-C", below),
  ]);
  expect([named.stdout, JSON.parse(around.stdout)]).toMatchObject(["[]\n", [{ format: "kingdom", path: dir }]]);
});

test("a directory without threads and an empty import are an error message and an exit code", async () => {
  const at = newPlace();
  const nothing = await at.run("import", ".");
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing to import") });
  expect(await at.run("import")).toMatchObject({ code: 2, stderr: expect.stringContaining("no path given") });
  expect(await at.run("council", "mirror")).toMatchObject({ code: 4 });
});

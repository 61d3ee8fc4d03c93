/** Entries of a thread directory that are neither messages nor streams, whatever their names. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { openMirrored, type MirroredSession } from "./mirrored-session.ts";
import { writeAsKingdom } from "./kingdom-writer.ts";

let at: MirroredSession;
afterEach(() => at.close());

function put(dir: string, name: string, kind: "pipe" | "directory" | "link"): void {
  const file = path.join(dir, name);
  if (kind === "pipe") execFileSync("mkfifo", [file]);
  else if (kind === "directory") mkdirSync(file);
  else symlinkSync("/etc/passwd", file);
}

const warnings = () => at.of("warning").map(({ message }) => message.replace(/^[^/]*\//, ""));

test.skipIf(process.platform === "win32")(
  "a pipe, a directory or a link in the place of a message or a stream is said once and holds up nothing",
  async () => {
    at = await openMirrored();
    const dir = await at.dir();
    await at.send("before", ["claude"]);
    await at.sees("two files", () => at.of("mirrored").length === 2);
    for (const name of ["a", "b", "c", "d", "e"]) put(dir, `.stream-pipe${name}.jsonl`, "pipe");
    put(dir, ".stream-directory.jsonl", "directory");
    put(dir, ".stream-link.jsonl", "link");
    put(dir, "0003-pipe.md", "pipe");
    put(dir, "0004-directory.md", "directory");
    put(dir, "0005-king.md", "link");
    writeAsKingdom(dir, "king", "claude", "after");
    await at.sees("the message after all of them", () => at.of("user_message").some(({ text }) => text === "after"));
    await at.sees("its answer", () => at.of("turn_end").filter(({ member }) => member === "claude").length === 2);
    await at.sees("all streams", () => warnings().filter((one) => one.startsWith(".stream-")).length === 7);
    const not = (name: string, why: string) => `${name} cannot be read (${why}) and is not shown.`;
    expect(
      warnings()
        .filter((one) => !one.includes("state.json"))
        .toSorted(),
    ).toEqual(
      [
        ...["a", "b", "c", "d", "e"].map((name) => not(`.stream-pipe${name}.jsonl`, "it is not a file")),
        not(".stream-directory.jsonl", "it is not a file"),
        not(".stream-link.jsonl", "it is a link"),
        not("0003-pipe.md", "it is not a file"),
        not("0004-directory.md", "it is not a file"),
        not("0005-king.md", "it is a link"),
      ].toSorted(),
    );
    expect(JSON.stringify(at.events)).not.toContain("root:");
  },
);

test.skipIf(process.platform === "win32")(
  "a session whose thread holds pipes already is mirrored, and what it had written is known again",
  async () => {
    at = await openMirrored();
    const dir = await at.dir();
    await at.send("before", ["claude"]);
    await at.sees("two files", () => at.of("mirrored").length === 2);
    const { dataDir, project, sessionId } = at;
    await at.close();
    put(dir, "0003-king.md", "pipe");
    put(dir, "0004-claude.md", "directory");
    put(dir, ".stream-claude.jsonl", "pipe");
    put(path.dirname(path.dirname(path.dirname(path.dirname(dir)))), "config.json", "pipe");
    at = await openMirrored({ dataDir, project, sessionId });
    await at.send("again", ["a_b"]);
    await at.sees("four files", () => at.of("mirrored").length === 4);
    expect(at.of("mirrored").map(({ number }) => number)).toEqual([1, 2, 5, 6]);
  },
);

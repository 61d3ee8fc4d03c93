/** A full disk and a holder that does not respond: one sentence, the right exit code, nothing lost. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createHome, jsonLines, type Ran } from "./program.ts";

const SIZE = "size=400k";
const disks: string[] = [];

/** A small disk of its own; undefined where none can be mounted. */
function mountSmallDisk(): string | undefined {
  const directory = join(createHome().directory, "small");
  mkdirSync(directory);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", SIZE, "tmpfs", directory]).status !== 0) return undefined;
  disks.push(directory);
  return directory;
}

const [filling, full, readOnly] = [mountSmallDisk(), mountSmallDisk(), mountSmallDisk()];
afterAll(() => disks.forEach((directory) => spawnSync("umount", [directory])));

describe.concurrent("a full disk", () => {
  if (disks.length < 3) process.stderr.write("full-disk tests are left out: a tmpfs cannot be mounted here\n");

  test.skipIf(filling === undefined)(
    "a disk that fills during an answer is reported and waited for, then exit 1; the log stays whole",
    async () => {
      const home = createHome();
      const dataDir = join(filling ?? "", "data");
      const ran = await home.run(["-p", "/try long 300000", "--data-dir", dataDir]);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(
        /^roundtable: [^\n]*disk is full[^\n]*\nroundtable: the store did not recover within 5 s\. [^\n]+\n$/,
      );
      const doctor = await home.run(["doctor", "--data-dir", dataDir]);
      expect(doctor.code).toBe(0);
    },
  );

  test.skipIf(full === undefined)(
    "a disk that is full from the start is one sentence and 1, in every format",
    async () => {
      const home = createHome();
      const dataDir = join(full ?? "", "data");
      const fill = join(full ?? "", "fill");
      expect(() => writeFileSync(fill, Buffer.alloc(1024 * 1024))).toThrow("ENOSPC");
      const [text, json] = await Promise.all([
        home.run(["-p", "x", "--data-dir", dataDir]),
        home.run(["-p", "x", "--data-dir", dataDir, "--output-format", "stream-json"]),
      ]);
      expect([text.code, json.code]).toEqual([1, 1]);
      expect(text.stderr).toMatch(/^roundtable: [^\n]+\n$/);
      expect(jsonLines(json.stdout)).toMatchObject([{ type: "result", is_error: true, exit_code: 1 }]);
    },
  );
});

test.skipIf(readOnly === undefined)("sessions of a read-only disk can be listed, shown and exported", async () => {
  const home = createHome();
  const at = ["--data-dir", join(readOnly ?? "", "data")];
  await home.runHere(["-p", "/try silence", "--name", "On a disk", ...at]);
  spawnSync("mount", ["-o", "remount,ro", readOnly ?? ""]);
  const warning = "cannot be written (the file system is read-only); sessions can only be read.";
  for (const args of [
    ["sessions", "list"],
    ["sessions", "show", "On a disk"],
    ["export", "On a disk"],
  ]) {
    const ran = await home.runHere([...args, ...at]);
    expect([args, ran.code, ran.stderr]).toEqual([args, 0, expect.stringContaining(warning)]);
    expect(ran.stdout).toMatch(/On a disk|try silence/);
  }
  const renamed = await home.runHere(["sessions", "rename", "On a disk", "x", ...at]);
  expect([renamed.code, renamed.stderr]).toEqual([1, expect.stringContaining("the file system is read-only. Make it")]);
});

test.concurrent("a session held by a process that does not answer is refused in one sentence, and nothing is lost", async () => {
  const home = createHome();
  const first = await home.run(["--json", "-p", "/try silence"]);
  const id = String(jsonLines(first.stdout)[0]?.["session_id"]);
  let guest: Promise<Ran> | undefined;
  const holder = await home.run(["-p", "/try hang", "--resume", id], {
    onStdout: (text, child) => {
      if (guest !== undefined || !text.includes("Interrupt me.")) return;
      child.kill("SIGSTOP");
      guest = home.run(["-p", "x", "--resume", id]);
      void guest.then(() => {
        child.kill("SIGCONT");
        child.kill("SIGINT");
      });
    },
  });
  const refused = await guest;
  expect({ holder: holder.code, guest: refused?.code }).toEqual({ holder: 130, guest: 1 });
  expect(refused?.stderr).toMatch(/^roundtable: The process that holds session [^\n]+\n$/);
  const logs = join(home.dataDir, "logs");
  const log = readdirSync(logs).find((name) => name.endsWith(".jsonl")) ?? "";
  const seqs = jsonLines(readFileSync(join(logs, log), "utf8")).map((event) => event["seq"]);
  expect(seqs).toEqual([...seqs.keys()].map((at) => at + 1));
});

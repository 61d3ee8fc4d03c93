import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { PrivateDirectory, sweepOwnFolders } from "./private-directory.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

test.skipIf(process.platform === "win32")(
  "folders that a killed host left for an agent are removed after a day, and nothing else is",
  async () => {
    const temporary = mkdtempSync(path.join(tmpdir(), "sweep-"));
    const at = (...names: string[]) => path.join(temporary, ...names);
    const gone = spawnSync(process.execPath, ["--version"]).pid;
    for (const name of [`${gone}-left`, `${process.pid}-used`, "nopid"]) mkdirSync(at(`roundtable-agent-${name}`));
    writeFileSync(at(`roundtable-agent-${gone}-left`, "policy.toml"), "");
    for (const kind of ["pi", "codex"]) mkdirSync(at(`roundtable-${kind}-${gone}-left`));
    mkdirSync(at("somebody-elses"));
    symlinkSync(at("somebody-elses"), at("roundtable-agent-link"));
    writeFileSync(at("roundtable-agent-file"), "");
    try {
      expect(await sweepOwnFolders(temporary, Date.now() + DAY_MS - 60_000)).toBe(0);
      expect(await sweepOwnFolders(temporary, Date.now() + DAY_MS + 60_000)).toBe(4);
      expect(readdirSync(temporary).toSorted()).toEqual([
        `roundtable-agent-${process.pid}-used`,
        "roundtable-agent-file",
        "roundtable-agent-link",
        "somebody-elses",
      ]);
      expect(await sweepOwnFolders(at("nowhere"))).toBe(0);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  },
);

test("a removed folder is created again", () => {
  const folder = new PrivateDirectory();
  rmSync(folder.path, { recursive: true });
  const file = folder.write("policy.toml", "");
  expect(existsSync(file)).toBe(true);
  folder.remove();
  expect(existsSync(path.dirname(file))).toBe(false);
});

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holdPlaceholders, sweepPlaceholders } from "./placeholders.ts";

function ground() {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-placeholders-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (name: string): string => path.join(root, name);
  mkdirSync(at("home"));
  const records = (data: string): string[] => (existsSync(at(data)) ? readdirSync(at(`${data}/placeholders`)) : []);
  return { at, records, wanted: [{ file: at("home/hooks") }, { file: at("home/settings.json"), text: "{}\n" }] };
}

test("the last holder of a placeholder removes it, and nothing else", () => {
  const { at, records, wanted } = ground();
  mkdirSync(at("home/skills"));
  const [first, second] = [1, 2].map(() => holdPlaceholders([...wanted, { file: at("home/skills") }], at("data")));
  expect(readFileSync(at("home/settings.json"), "utf8")).toBe("{}\n");
  expect(readdirSync(at("home"))).toEqual(["hooks", "settings.json", "skills"]);
  first?.();
  first?.();
  expect(readdirSync(at("home"))).toEqual(["hooks", "settings.json", "skills"]);
  second?.();
  expect(readdirSync(at("home"))).toEqual(["skills"]);
  expect(records("data")).toEqual([]);
});

test("changed or replaced placeholders stay", () => {
  const { at, records, wanted } = ground();
  const release = holdPlaceholders([...wanted, { file: at("home/AGENTS.md"), text: "" }], at("data"));
  writeFileSync(at("home/hooks/mine.sh"), "date\n");
  writeFileSync(at("home/settings.json"), '{"theirs": true}');
  rmSync(at("home/AGENTS.md"));
  symlinkSync(at("home/settings.json"), at("home/AGENTS.md"));
  release();
  expect(readdirSync(at("home"))).toEqual(["AGENTS.md", "hooks", "settings.json"]);
  expect(records("data")).toEqual([]);
});

const killed = (data: string, wanted: object) => {
  const module = path.join(import.meta.dirname, "placeholders.ts");
  const script = `const { holdPlaceholders } = await import(${JSON.stringify(module)});
    holdPlaceholders(${JSON.stringify(wanted)}, ${JSON.stringify(data)}); process.kill(process.pid, "SIGKILL");`;
  return spawnSync(process.execPath, ["--input-type=module", "-e", script]).signal;
};

test("leftovers of a killed process are removed by the next host of the same data directory only", () => {
  const { at, records, wanted } = ground();
  expect(killed(at("data"), wanted)).toBe("SIGKILL");
  expect(records("data")).toHaveLength(1);
  sweepPlaceholders(at("other"));
  holdPlaceholders(wanted, at("other"))();
  expect(readdirSync(at("home"))).toEqual(["hooks", "settings.json"]);
  sweepPlaceholders(at("data"));
  expect([readdirSync(at("home")), records("data")]).toEqual([[], []]);
});

const hasBwrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0;

test.skipIf(!hasBwrap)("what a sandbox of another process has mounted stays as long as it runs", async () => {
  const { at, wanted } = ground();
  expect(killed(at("data"), wanted)).toBe("SIGKILL");
  const mounts = wanted.flatMap(({ file }) => ["--ro-bind", file, file]);
  const script = "echo ready; read line";
  const args = ["--bind", "/", "/", "--unshare-user", "--unshare-pid", "--die-with-parent", ...mounts];
  const sandbox = spawn("bwrap", [...args, "sh", "-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  await once(sandbox.stdout, "data");
  sweepPlaceholders(at("data"));
  holdPlaceholders(wanted, at("data"))();
  expect(readdirSync(at("home"))).toEqual(["hooks", "settings.json"]);
  sandbox.stdin.end();
  await once(sandbox, "exit");
  sweepPlaceholders(at("data"));
  expect(readdirSync(at("home"))).toEqual([]);
});

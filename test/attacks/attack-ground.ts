/** A repository, a home and another directory to attack. */
import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { asUser, scratch, type Scratch } from "../agents/sandbox/inside.ts";
import { changes, fillGround, leftRunning, LINE_SECONDS, pictureOf, runningIn, scriptOf } from "./ground-files.ts";

export interface Ground extends Scratch {
  readonly root: string;
  readonly outside: string;
  /** Everything below the scratch directory: name, kind, mode and content. */
  picture(): Map<string, string>;
}

export function attackGround(): Ground {
  const made = scratch();
  const { workspace, home, write, make } = made;
  const root = path.dirname(workspace);
  fillGround(write);
  make("data");
  const script = `chmod +x bin/run; cp bin/run bin/git-run; cp bin/run bin/pre-commit
    tar cf a.tar in.txt; command -v zip >/dev/null && zip -q a.zip in.txt
    git init -q . && git add . && git commit -qm one`;
  execFileSync("sh", ["-c", script], { ...asUser, cwd: workspace, env: { PATH: process.env["PATH"], HOME: home } });
  return { ...made, root, outside: path.join(root, "outside"), picture: () => pictureOf(root) };
}

/** One line without any wall, as an ordinary user, on ground of its own: whether it has an effect at all. */
export function hasEffectOutside(line: string): boolean {
  const ground = attackGround();
  const before = ground.picture();
  const env = { PATH: process.env["PATH"], HOME: ground.home, TMPDIR: ground.make("tmp") };
  const script = scriptOf([line], { cwd: ground.workspace, outside: ground.outside });
  spawnSync("bash", ["-c", script], { ...asUser, cwd: ground.workspace, env, timeout: 2 * LINE_SECONDS * 1000 });
  const left = leftRunning(ground.root);
  for (const { pid } of runningIn(ground.root)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  const changed = changes(before, ground.picture()).filter((name) => name !== "tmp" && !name.startsWith("tmp/"));
  return left.length > 0 || changed.length > 0;
}

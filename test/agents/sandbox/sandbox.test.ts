import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { hasBwrap, scratch } from "./inside.ts";

describe.skipIf(!hasBwrap)("in the sandbox", () => {
  test("a read-only session changes nothing but its private temporary directory", async () => {
    const { home, workspace, write, run } = scratch();
    write("work/README.md", "hello\n");
    const ran = await run(`
      cat README.md
      touch new; echo more >> README.md; rm README.md; mkdir dir; touch ${home}/new
      echo kept > "$TMPDIR/file" && cat "$TMPDIR/file"`);
    expect(ran).toMatchObject({ kind: "ran", out: "hello\nkept", code: 0 });
    expect(readFileSync(path.join(workspace, "README.md"), "utf8")).toBe("hello\n");
    expect([existsSync(path.join(workspace, "new")), existsSync(path.join(home, "new"))]).toEqual([false, false]);
  });

  test("a writable session changes its workspace and nothing else", async () => {
    const { home, workspace, run } = scratch();
    const ran = await run(`touch new; touch ${home}/new; ls`, { isWritable: true });
    expect(ran).toMatchObject({ kind: "ran", out: "new" });
    expect([existsSync(path.join(workspace, "new")), existsSync(path.join(home, "new"))]).toEqual([true, false]);
  });
});

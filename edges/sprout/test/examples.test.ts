/** The example in this edge's docs, exported by the real program and read back. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome } from "../../../test/cli/program.ts";
import { faultsOf, listSessions, readTree, replay } from "./sprout-reader.ts";

test("the session in the docs is exported exactly as shown", async () => {
  const [, example = ""] = /```002\n([\s\S]*?)```/.exec(readFileSync("edges/sprout/docs/protocol.md", "utf8")) ?? [];
  const lines = example.split("\n").filter((line) => line !== "");
  const commands = lines.filter((line) => line.startsWith("$ roundtable "));
  expect(commands).toHaveLength(2);
  const home = createHome();
  try {
    for (const command of commands) {
      const words = command.slice("$ roundtable ".length).match(/"[^"]*"|\S+/g) ?? [];
      const { code } = await home.run(words.map((word) => word.replaceAll('"', "")));
      expect([command, code]).toEqual([command, 0]);
    }
    const directory = join(home.project, "out");
    const [session] = listSessions(directory);
    expect(session).toMatchObject({ firstPrompt: "Where is parseWidget?", turns: 2, status: "idle" });
    const root = readTree(directory, session?.sessionId ?? "").get("") ?? [];
    const kinds = lines.filter((line) => !line.startsWith("$")).flatMap((line) => line.split(" "));
    expect(root.map(({ kind }) => kind)).toEqual(kinds);
    expect(faultsOf(replay(root))).toEqual([]);
  } finally {
    rmSync(home.directory, { recursive: true, force: true });
  }
});

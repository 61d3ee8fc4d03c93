/** A turn that is interrupted before its program takes turns must not cost the program. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startClaude } from "./claude/start-claude.ts";
import { FAKES, makeDataDir, removeDataDir } from "./process/start-fake.ts";

test.skipIf(process.platform === "win32")(
  "a turn that is interrupted before its program is ready is over, and the same program answers the next one",
  async () => {
    const dataDir = makeDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    const starts = path.join(dataDir, "starts");
    const counted = ["/bin/sh", "-c", 'echo started >>"$0"; exec "$@"', starts];
    const probe = await startClaude({
      dataDir,
      command: [...counted, process.execPath, path.join(FAKES, "claude.mjs")],
    });
    onTestFinished(() => probe.leave());
    probe.ask("never sent", "turn-1");
    probe.agent.interrupt();
    const first = await probe.next("turn_done");
    const second = await probe.run("hello", "turn-2");
    expect([first.outcome, second.outcome]).toEqual(["interrupted", "completed"]);
    expect(readFileSync(starts, "utf8")).toBe("started\n");
  },
);

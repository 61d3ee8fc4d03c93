/** A turn that is interrupted before its program takes turns must not cost the program. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { seatClaude } from "./claude/seat-claude.ts";
import { FAKES, makeDataDir, removeDataDir } from "./process/seat-fake.ts";

test.skipIf(process.platform === "win32")(
  "a turn that is interrupted before its program is ready is over, and the same program answers the next one",
  async () => {
    const dataDir = makeDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    const starts = path.join(dataDir, "starts");
    const counted = ["/bin/sh", "-c", 'echo started >>"$0"; exec "$@"', starts];
    const table = await seatClaude({
      dataDir,
      command: [...counted, process.execPath, path.join(FAKES, "claude.mjs")],
    });
    onTestFinished(() => table.leave());
    table.ask("never sent", "turn-1");
    table.agent.interrupt();
    const first = await table.next("turn_done");
    const second = await table.run("hello", "turn-2");
    expect([first.outcome, second.outcome]).toEqual(["interrupted", "completed"]);
    expect(readFileSync(starts, "utf8")).toBe("started\n");
  },
);

/** Files grow while their programs go on; what is imported grows with them and repeats nothing. */
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { bring, copyOf, newDirectory, recorded, readBack } from "./import-file.ts";
import { growsAlike, mainFile, seedOfRun, withoutTorn } from "./properties.ts";

const linear = recorded.filter((name) => name !== "claude-branches");

function logOf(dataDir: string, sessionId: string): string {
  return path.join(dataDir, "logs", `${sessionId}.jsonl`);
}

describe("imports of files that change", () => {
  test.for(recorded)("%s imported again adds nothing, not a byte", async (name) => {
    const dataDir = newDirectory();
    const { file } = await mainFile(copyOf(name));
    const first = await bring(file, { dataDir });
    const before = readFileSync(logOf(dataDir, first.sessionId));
    expect(await bring(file, { dataDir })).toEqual({ ...first, isNew: false, added: 0, warnings: [] });
    expect(readFileSync(logOf(dataDir, first.sessionId)).equals(before)).toBe(true);
  });

  test.for(linear)("%s that grew in any steps reads as when it is imported at once", async (name) => {
    await growsAlike(name, { rounds: 2, seed: seedOfRun() });
  });

  test.for(linear.filter((name) => /^(?:claude|codex|pi)-/.test(name)))(
    "an older copy of %s changes nothing",
    async (name) => {
      const dataDir = newDirectory();
      const { file } = await mainFile(copyOf(name));
      const { sessionId } = await bring(file, { dataDir });
      const before = await readBack(dataDir, sessionId);
      const lines = readFileSync(file, "utf8").trimEnd().split("\n");
      for (let left = lines.length - 1; left > lines.length / 2; left -= 5) {
        writeFileSync(file, `${lines.slice(0, left).join("\n")}\n`);
        const { added } = await bring(file, { dataDir });
        expect({ left, added }).toEqual({ left, added: 0 });
      }
      expect(await readBack(dataDir, sessionId)).toEqual(before);
    },
  );

  test("a conversation rewound after its import continues below, and nothing is repeated", async () => {
    const store = copyOf("claude-branches");
    const { file } = await mainFile(store);
    const whole = readFileSync(file, "utf8");
    const [dataDir, atOnce] = [newDirectory(), newDirectory()];
    const { sessionId } = await bring(file, { dataDir: atOnce });
    const back = whole.indexOf('"content":"Back ');
    writeFileSync(file, whole.slice(0, whole.lastIndexOf("\n", back) + 1));
    await bring(file, { dataDir });
    const before = await readBack(dataDir, sessionId);
    writeFileSync(file, whole);
    await bring(file, { dataDir });
    const after = await readBack(dataDir, sessionId);
    const wanted = await readBack(atOnce, sessionId);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(before.filter((line) => line.includes("A wrong way."))).not.toEqual([]);
    expect(after.slice(before.length)).toEqual(wanted.slice(-(after.length - before.length)));
    expect(after.at(before.length)).toContain("The conversation was rewound here: 2 messages");
  });

  test("an import of new parts that was cut anywhere is completed by the next one", async () => {
    const { file } = await mainFile(copyOf("pi-everything"));
    const whole = readFileSync(file);
    const half = whole.subarray(0, Math.floor(whole.length / 2));
    const dataDir = newDirectory();
    writeFileSync(file, half);
    const { sessionId } = await bring(file, { dataDir });
    const log = logOf(dataDir, sessionId);
    const [wasLong, epoch] = [readFileSync(log).length, readFileSync(log.replace(/jsonl$/, "epoch"))];
    writeFileSync(file, whole);
    await bring(file, { dataDir });
    const [wanted, bytes] = [await readBack(dataDir, sessionId), readFileSync(log)];
    const ends = [...bytes.keys()].filter((at) => at >= wasLong && bytes[at] === 0x0a).map((at) => at + 1);
    for (const end of ends.filter((_, at) => at % 15 === 0)) {
      for (const torn of [0, 7]) {
        writeFileSync(log, bytes);
        writeFileSync(log.replace(/jsonl$/, "epoch"), epoch);
        truncateSync(log, Math.min(bytes.length, end + torn));
        await bring(file, { dataDir });
        expect(withoutTorn(await readBack(dataDir, sessionId)), `cut at byte ${end + torn}`).toEqual(
          withoutTorn(wanted),
        );
      }
    }
  });
});

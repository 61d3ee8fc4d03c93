/** Files that were made to do harm, or that a crash left: something is shown, nothing breaks, everything is settled. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readTranscript } from "../../src/host/index.ts";
import { loadedMessages } from "../../src/transcript/index.ts";
import { bring, copyOf, fileOf, newDirectory, recorded, readBack, writeLines } from "./import-file.ts";
import { mainFile, seedOfRun, standsHarm } from "./properties.ts";

describe("hostile files", () => {
  test.for(recorded)(
    "%s with values of wrong kinds anywhere imports, settles, and imports again without change",
    async (name) => {
      await standsHarm(name, { rounds: 2, seed: seedOfRun() });
    },
  );

  test("damaged lines are shown where they stood and counted", async () => {
    const { file: own } = await mainFile(copyOf("pi-everything"));
    const lines = readFileSync(own, "utf8").trim().split("\n");
    lines.splice(10, 0, '{"type":"message",');
    lines.push("\u0000\u0001");
    const file = writeLines(fileOf(newDirectory(), "x_y.jsonl"), lines);
    const dataDir = newDirectory();
    const { sessionId, warnings } = await bring(file, { dataDir, format: "pi" });
    const [first, last] = [
      'Line 11 of x_y.jsonl is damaged and is not shown: "{\\"type\\":\\"message\\",".',
      'Line 47 of x_y.jsonl is damaged and is not shown: "\\u0000\\u0001".',
    ];
    expect(warnings.slice(1)).toEqual([first, last]);
    const read = await readBack(dataDir, sessionId);
    const at = read.findIndex((line) => line.endsWith(first ?? ""));
    expect(read[at - 1]).toContain("says: Done. 1 tool step(s); last result: one two");
    expect(read[at + 1]).toContain("user: Twice");
    expect(read.at(-1)).toContain(last);
  });

  test("texts, arguments and results of any size are split, stored beside the log, or truncated with a note", async () => {
    const long = "ä\u0001".repeat(200_000);
    const file = writeLines(fileOf(newDirectory(), "x_y.jsonl"), [
      { type: "session", version: 3, id: "big", timestamp: "2026-02-01T10:00:00Z", cwd: "/" },
      { type: "message", id: "a", parentId: null, message: { role: "user", content: long } },
      {
        type: "message",
        id: "b",
        parentId: "a",
        message: {
          role: "assistant",
          stopReason: "toolUse",
          content: [
            { type: "thinking", thinking: long },
            { type: "text", text: long },
            {
              type: "toolCall",
              id: "c",
              name: "n".repeat(1000),
              arguments: { long, list: Array.from({ length: 5000 }, () => long.slice(0, 50)) },
            },
          ],
        },
      },
      {
        type: "message",
        id: "d",
        parentId: "b",
        message: { role: "toolResult", toolCallId: "c", content: [{ type: "text", text: long }] },
      },
    ]);
    const dataDir = newDirectory();
    const { sessionId } = await bring(file, { dataDir, format: "pi" });
    const [message, turn] = [...loadedMessages(await readTranscript(dataDir, sessionId))].slice(1);
    if (message?.kind !== "user" || turn?.kind !== "turn") throw new Error("There is no message with its turn.");
    expect(message.textBlob?.bytes).toBe(Buffer.byteLength(long));
    const said = (kind: "text" | "thinking"): string =>
      turn.blocks.flatMap((block) => (block.kind === kind ? [block.text] : [])).join("");
    expect([said("text") === long, said("thinking") === long]).toEqual([true, true]);
    const tool = turn.blocks.find((block) => block.kind === "tool");
    expect(tool).toMatchObject({
      state: "truncated",
      truncated: { totalBytes: Buffer.byteLength(long), blob: { bytes: Buffer.byteLength(long) } },
    });
    expect(JSON.stringify(tool?.args).length).toBeLessThan(200_000);
  });
});

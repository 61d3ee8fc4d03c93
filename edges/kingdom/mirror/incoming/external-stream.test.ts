import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { ExternalStream } from "./external-stream.ts";

const line = (text: string) =>
  `${JSON.stringify({ type: "content_block_delta", delta: { type: "text_delta", text } })}\n`;

test("a stream is read line by line however it is split, and from the start when it restarts", async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "rt-stream-")), ".stream-claude.jsonl");
  const stream = new ExternalStream(file);
  expect(await stream.read()).toBeUndefined();
  const bytes = Buffer.from(line("Grüße 😀"));
  let heard = "";
  for (const byte of bytes) {
    appendFileSync(file, Buffer.from([byte]));
    const read = await stream.read();
    heard += read?.text ?? "";
    expect(heard === "" || read?.text === "Grüße 😀").toBe(true);
  }
  expect(heard).toBe("Grüße 😀");
  appendFileSync(file, `noise\n${line(" and")}{"type"`);
  expect(await stream.read()).toMatchObject({ text: " and", hasGrown: true, hasRestarted: false });
  writeFileSync(file, line("anew"));
  expect(await stream.read()).toMatchObject({ text: "anew", hasRestarted: true });
  appendFileSync(file, line("known"));
  await stream.skip();
  expect(await stream.read()).toMatchObject({ text: "", hasGrown: false });
  appendFileSync(file, line("new"));
  expect(await stream.read()).toMatchObject({ text: "new" });
});

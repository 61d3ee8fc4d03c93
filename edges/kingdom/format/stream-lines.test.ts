import { expect, test } from "vitest";
import { createStreamReader, decodeStreamHead, encodeStreamHead, encodeStreamText } from "./stream-lines.ts";

test("a stream line has the format of the member's own program", () => {
  expect(encodeStreamText("claude_code", "Hi\n")).toBe(
    '{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hi\\n"}}}\n',
  );
  expect(encodeStreamText("cursor", "x")).toBe(encodeStreamText("claude_code", "x"));
  expect(encodeStreamText("codex", "Hi")).toBe(
    '{"type":"item.completed","item":{"type":"agent_message","text":"Hi"}}\n',
  );
});

test("a stream line is ASCII, so that readers find no line break or split character in it", () => {
  const text = "é\u0085\u2028\u2029😀\u001c\r\n";
  for (const backend of ["claude_code", "codex"] as const) {
    const line = encodeStreamText(backend, text);
    expect(line).toMatch(/^[ -~]+\n$/);
    expect(createStreamReader().read(JSON.parse(line))).toBe(text);
  }
});

test("the first line of a stream names its member and has no text", () => {
  const line: unknown = JSON.parse(encodeStreamHead("S", "T"));
  expect(decodeStreamHead(line)).toEqual({ sessionId: "S", turnId: "T" });
  expect(createStreamReader().read(line)).toBe("");
  for (const other of [{ type: "system" }, { type: "system", roundtable: {} }, null, 3]) {
    expect(decodeStreamHead(other)).toBeUndefined();
  }
});

function readAll(lines: readonly unknown[]): string {
  const reader = createStreamReader();
  return lines.map((line) => reader.read(line)).join("");
}

const delta = (text: string) => ({ type: "content_block_delta", delta: { type: "text_delta", text } });
const whole = (text: string) => ({ type: "assistant", message: { content: [{ type: "text", text }] } });

test("text is read from every program's lines, and text repeated at the end is not duplicated", () => {
  const wrapped = { type: "stream_event", event: delta("a") };
  expect(readAll([wrapped, delta("b"), whole("ab"), { type: "result", result: "ab" }])).toBe("ab");
  expect(readAll([whole("one "), whole("two"), { type: "result", result: "one two" }])).toBe("one two");
  expect(readAll([{ type: "result", result: "only" }])).toBe("only");
  const item = (type: string, text: string) => ({ type: "item.completed", item: { type, text } });
  expect(readAll([{ type: "thread.started" }, item("reasoning", "hm"), item("agent_message", "x")])).toBe("x");
});

test("lines without text and empty streams are skipped", () => {
  const odd = [null, 5, "x", [], { type: "content_block_delta" }, { type: "assistant", message: { content: "x" } }];
  expect(readAll(odd)).toBe("");
  expect(readAll([{ type: "content_block_delta", delta: { type: "thinking_delta", thinking: "t" } }])).toBe("");
});

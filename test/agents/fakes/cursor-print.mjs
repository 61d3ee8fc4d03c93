/**
 * Prints one turn as `agent -p --output-format stream-json --stream-partial-output` does: text in pieces, then the same
 * text as a whole. The prompt comes on standard input, which is read to its end before anything else.
 */
import { createHash } from "node:crypto";

const args = process.argv.slice(2);
const resumed = args.includes("--resume") ? args[args.indexOf("--resume") + 1] : undefined;
if (resumed === "forgotten") {
  process.stderr.write("Error: Chat forgotten not found\n");
  process.exit(1);
}
const session_id = resumed === "silently-gone" ? "cursor-session-2" : (resumed ?? "cursor-session-1");
let clock = 1_774_846_267_524;
const print = (record) => process.stdout.write(`${JSON.stringify({ ...record, session_id })}\n`);
const message = (text) => ({ role: "assistant", content: [{ type: "text", text }] });
const piece = (text) => print({ type: "assistant", message: message(text), timestamp_ms: (clock += 5) });
const flush = (text) =>
  print({ type: "assistant", message: message(text), model_call_id: "call-1", timestamp_ms: (clock += 5) });
const whole = (text) => print({ type: "assistant", message: message(text) });
const over = (result, more = {}) =>
  print({ type: "result", subtype: "success", is_error: false, duration_ms: 5, result, request_id: "r", ...more });

let prompt = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => (prompt += chunk));
process.stdin.on("end", () => {
  print({ type: "system", subtype: "init", model: "Auto", cwd: process.cwd(), permissionMode: "default" });
  print({ type: "user", message: { role: "user", content: [{ type: "text", text: prompt }] } });
  const deed = args.includes("--digest") ? "digest" : Object.keys(deeds).find((word) => prompt.includes(word));
  deeds[deed ?? "repeat"]();
});

const deeds = {
  repeat() {
    piece("you said: ");
    piece(prompt);
    whole(`you said: ${prompt}`);
    over(`you said: ${prompt}`);
  },
  long() {
    piece("this goes on and on");
    setInterval(() => {}, 60_000);
  },
  tool() {
    piece("working");
    print({
      type: "tool_call",
      subtype: "started",
      call_id: "t1",
      tool_call: { shellToolCall: { args: { command: "sleep 60" } } },
    });
    setInterval(() => {}, 60_000);
  },
  failure() {
    process.stderr.write("Error: not logged in\n");
    process.exit(1);
  },
  digest() {
    const digest = createHash("sha256").update(prompt).digest("hex");
    const text = JSON.stringify({ digest, bytes: Buffer.byteLength(prompt), argv: args });
    piece(text);
    whole(text);
    over(text);
  },
  steps() {
    print({ type: "thinking", subtype: "delta", text: "Hm" });
    print({ type: "thinking", subtype: "completed" });
    piece("Let me ");
    piece("look.");
    flush("Let me look.");
    const readToolCall = { args: { path: "a.txt" } };
    print({ type: "tool_call", subtype: "started", call_id: "t1\nx", tool_call: { readToolCall } });
    const result = { success: { content: "hello", isEmpty: false } };
    print({
      type: "tool_call",
      subtype: "completed",
      call_id: "t1\nx",
      tool_call: { readToolCall: { ...readToolCall, result } },
    });
    piece("It says ");
    piece("hello.");
    whole("Let me look.It says hello.");
    over("Let me look.It says hello.", {
      usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 1, cacheWriteTokens: 0 },
    });
  },
};

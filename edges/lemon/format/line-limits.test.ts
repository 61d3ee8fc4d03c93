import { expect, test } from "vitest";
import type { EventDraft, MemberSpec } from "../../../src/protocol/index.ts";
import { empty, fold, type Transcript } from "../../../src/transcript/index.ts";
import { CAPABILITIES } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { SessionStream } from "./session-stream.ts";
import type { WireEvent } from "./wire-event.ts";

/** Line limit of a reader in another program's standard library. */
const READ_BYTES_MAX = 64 * 1024;

const spec: MemberSpec = { name: "ada", kind: "embedded", model: "small" };
const capabilities = { ...CAPABILITIES, switchModel: false };
const from = { turnId: "t1", member: "ada" } as const;

function play(drafts: readonly EventDraft[]): { lines: string[]; events: WireEvent[] } {
  let transcript: Transcript = empty("session");
  const stream = new SessionStream(transcript);
  const lines = [...stream.begin()];
  for (const event of stamped(drafts)) {
    transcript = fold(transcript, [event]);
    lines.push(...stream.show(transcript, [event]));
  }
  return { lines: lines.map((line) => JSON.stringify(line)), events: lines.map((line) => line["event"] as WireEvent) };
}

function turnOf(said: readonly EventDraft[], text = "Go"): EventDraft[] {
  return [
    { type: "member_joined", member: "ada", spec, capabilities },
    { type: "user_message", messageId: "m1", text, to: ["ada"], toAll: true, attachments: [] },
    { type: "turn_start", ...from, cause: "user", messageIds: ["m1"], depth: 0, rootMessageId: "m1" },
    ...said,
    { type: "turn_end", ...from, outcome: "completed", durationMs: 5 },
    { type: "message_delivery", messageId: "m1", member: "ada", state: "answered" },
  ];
}

const ended = (events: readonly WireEvent[], role: string): Record<string, unknown>[] =>
  events
    .filter(({ type }) => type === "message_end")
    .map(({ data = [] }) => data[0] as Record<string, unknown>)
    .filter((message) => message["role"] === role);

test("whatever the text, tool arguments or output, no line is longer than 64 KiB", () => {
  const prose = Array.from({ length: 3000 }, (_, line) => `${line} sind „ganz“ viele Wörter 字字字.\n`).join("");
  const { lines } = play(
    turnOf(
      [
        { type: "thinking_delta", ...from, segmentId: "s0", text: prose },
        { type: "thinking_done", ...from, segmentId: "s0", text: prose },
        { type: "text_delta", ...from, segmentId: "s1", text: prose },
        { type: "text_done", ...from, segmentId: "s1", text: prose },
        { type: "tool_call_start", ...from, toolCallId: "c1", name: "write", args: { path: "a", content: prose } },
        { type: "tool_output_delta", ...from, toolCallId: "c1", text: prose },
        { type: "tool_result", ...from, toolCallId: "c1", ok: true, result: prose, diff: prose },
        ...Array.from({ length: 20 }, (_, at): EventDraft[] => [
          { type: "tool_call_start", ...from, toolCallId: `d${at}`, name: "read", args: { all: [prose, prose] } },
          { type: "tool_result", ...from, toolCallId: `d${at}`, ok: true, result: prose },
        ]).flat(),
      ],
      prose,
    ),
  );
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => Buffer.byteLength(line) > READ_BYTES_MAX).map((line) => line.slice(0, 200))).toEqual(
    [],
  );
});

test("long text continues in the next message after a line end, live and on reload alike, and nothing is lost", () => {
  const prose = Array.from({ length: 2500 }, (_, line) => `${line} words, and 🙂 more of them.\n`).join("");
  const live = (prose.match(/[\s\S]{1,700}/g) ?? []).map((text): EventDraft => {
    return { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text };
  });
  const whole: EventDraft = { type: "text_done", ...from, segmentId: "s1", text: prose };
  const grown = play(turnOf([...live, whole]));
  const atOnce = play(turnOf([whole]));
  const texts = ({ events }: { events: WireEvent[] }) =>
    ended(events, "assistant").map((one) => (one["content"] as { text: string }[]).map(({ text }) => text).join(""));
  expect(texts(grown).length).toBeGreaterThan(2);
  expect(texts(grown)).toEqual(texts(atOnce));
  expect(texts(grown).join("")).toBe(prose);
  expect(texts(grown).every((text) => text.endsWith("\n"))).toBe(true);
  const unbroken = "🙂".repeat(30_000);
  expect(texts(play(turnOf([{ type: "text_done", ...from, segmentId: "s1", text: unbroken }]))).join("")).toBe(
    unbroken,
  );
});

import { expect, test } from "vitest";
import type { BlobRef, EventDraft, SessionEvent } from "../../../protocol/index.ts";
import { created, ended, joined, said, started } from "../../../../test/generate/drafts.ts";
import { stamped } from "../../../../test/generate/stamped.ts";
import { createEventRedactor, type RedactedBlob } from "./redact-event.ts";
import { createRedactor } from "./redactor.ts";
import { createSurvey } from "./secret-survey.ts";

const KEY = ["ghp_", "q7Zr2Lk9Xc4Vb8Nm1Ws6Tg3Yh5"].join("");
const turn = { turnId: "t1", member: "claude" };

function redacted(
  drafts: readonly EventDraft[],
  options: { words?: string[]; blobs?: ReadonlyMap<string, RedactedBlob> } = {},
): SessionEvent[] {
  const events = stamped(drafts);
  const redactor = createRedactor({ terms: options.words ?? [], users: ["jane"] });
  const survey = createSurvey(redactor);
  for (const event of events) survey.learn(event);
  for (const event of events) survey.scan(event);
  const eventRedactor = createEventRedactor({ redactor, streamed: survey.end(), names: new Map() });
  return events.map((event) => eventRedactor.redact(event, options.blobs ?? new Map()));
}

test("a secret split across deltas is in none of them", () => {
  const delta = (text: string): EventDraft => ({ type: "text_delta", ...turn, segmentId: "s", text });
  const out = (text: string): EventDraft => ({ type: "tool_output_delta", ...turn, toolCallId: "c", text });
  const events = redacted([
    started("t1", "claude"),
    delta(`key ${KEY.slice(0, 3)}`),
    delta(KEY.slice(3, 10)),
    delta(`${KEY.slice(10)} end`),
    { type: "text_done", ...turn, segmentId: "s", text: `key ${KEY} end` },
    { type: "tool_call_start", ...turn, toolCallId: "c", name: "env", args: {} },
    out(`A=${KEY.slice(0, 8)}`),
    out(`${KEY.slice(8)}\n`),
    ended("t1", "claude"),
    // No view shows a delta after the end, so its context is unknown.
    delta(KEY.slice(5)),
  ]);
  const texts = events.flatMap((event) => ("text" in event ? [event.text] : []));
  expect(texts).toStrictEqual(["key [redacted]", "", " end", "key [redacted] end", "A=[redacted]", "\n", ""]);
});

test("arguments, results, titles and paths are redacted; ids, order and shape stay", () => {
  const before = stamped([
    created({ cwd: "/home/jane/app", title: `With ${KEY}` }),
    said("m1", ["claude"], { text: `Use ${KEY}` }),
    started("t1", "claude", { messageIds: ["m1"] }),
    {
      type: "tool_call_start",
      ...turn,
      toolCallId: "c1",
      name: "bash",
      args: { command: "x", env: { API_TOKEN: "plain" }, id: KEY, [KEY]: 1, list: [KEY, 2, null] },
    },
    { type: "tool_result", ...turn, toolCallId: "c1", ok: false, error: { code: "tool_error", message: KEY } },
    { type: "ui_response", requestId: "r1", result: { code: KEY }, error: null },
    ended("t1", "claude"),
  ]);
  const after = redacted(before.map(({ seq: _s, epoch: _e, id: _i, ts: _t, sessionId: _d, ...rest }) => rest));
  expect(after).toStrictEqual([
    { ...before[0], cwd: "~/app", title: "With [redacted]" },
    { ...before[1], text: "Use [redacted]" },
    before[2],
    {
      ...before[3],
      args: {
        command: "x",
        env: { API_TOKEN: "[redacted]" },
        id: "[redacted]",
        "[redacted]": 1,
        list: ["[redacted]", 2, null],
      },
    },
    { ...before[4], error: { code: "tool_error", message: "[redacted]" } },
    { ...before[5], result: { code: "[redacted]" } },
    before[6],
  ]);
});

test("a redacted member name is replaced by another one, the same everywhere", () => {
  const events = redacted(
    [
      joined("acme-bot", { spec: { name: "acme-bot", kind: "acp", command: ["/home/jane/bin/acme"] } }),
      said("m1", ["acme-bot"], { text: "acme-bot, go" }),
      started("t1", "acme-bot"),
    ],
    { words: ["acme"] },
  );
  expect(events[0]).toMatchObject({
    member: "member-1",
    spec: { name: "member-1", kind: "acp", command: ["~/bin/[redacted]"] },
  });
  expect(events[1]).toMatchObject({ to: ["member-1"], text: "[redacted]-bot, go" });
  expect(events[2]).toMatchObject({ member: "member-1" });
});

test("a text truncated inside a secret is redacted like the complete text", () => {
  const text = `${"a".repeat(20)}${KEY}${"b".repeat(20)}`;
  const whole = { text, ranges: createRedactor({ terms: [KEY] }).find(text) };
  const ref: BlobRef = { sha256: "0".repeat(64), bytes: text.length };
  const shown: BlobRef = { sha256: "1".repeat(64), bytes: 50 };
  const [user, result] = redacted(
    [
      said("m1", [], { text: text.slice(0, 26), textBlob: ref }),
      {
        type: "tool_result",
        ...turn,
        toolCallId: "c",
        ok: true,
        result: `${text.slice(0, 30)}\n… 9 bytes not shown …\n${text.slice(-28)}`,
        truncated: { totalBytes: text.length, shownBytes: 58, blob: ref },
      },
    ],
    { blobs: new Map([[ref.sha256, { ref: shown, whole }]]) },
  );
  expect(user).toMatchObject({ text: `${"a".repeat(20)}[redacted]`, textBlob: shown });
  expect(result).toMatchObject({
    result: `${"a".repeat(20)}[redacted]\n… 9 bytes not shown …\n[redacted]${"b".repeat(20)}`,
    truncated: { blob: shown },
  });
});

test("events of unknown types are redacted except for their envelope", () => {
  const foreign = { type: "hologram", turnId: KEY, kind: KEY, deep: { id: KEY } } as unknown as EventDraft;
  expect(redacted([foreign])).toMatchObject([{ type: "hologram", turnId: KEY, kind: KEY, deep: { id: "[redacted]" } }]);
});

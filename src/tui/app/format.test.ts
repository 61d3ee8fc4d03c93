import { expect, test } from "vitest";
import { created, ended, joined, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { terminalSafe } from "../../kit/text/terminal-safe.ts";
import { empty, fold } from "../../transcript/index.ts";
import { attentionFor, notification } from "./screen/transcript-effects.ts";
import { shortCount, shortMoney, shortTime } from "./chrome/format.ts";
import { formatDelivery, formatSendResult } from "./session/format-outcome.ts";

test("figures are as short as a status bar needs them", () => {
  expect([0, 999, 1_234, 9_949, 9_950, 12_345, 999_499, 1_200_000].map(shortCount)).toEqual([
    "0",
    "999",
    "1.2k",
    "9.9k",
    "10k",
    "12k",
    "999k",
    "1.2M",
  ]);
  expect([0, 59_999, 65_000, 3_725_000].map(shortTime)).toEqual(["0s", "59s", "1m 05s", "1h 02m"]);
  expect([0.04, 0.001, 12.345].map(shortMoney)).toEqual(["$0.04", "<$0.01", "$12.35"]);
});

test("plain lines also say that a message was queued or said into a turn", () => {
  const ok = (result: object) => formatDelivery({ commandId: "c", ok: true, seq: 1, result } as never);
  expect(ok({ messageId: "m", placed: "sent" })).toBe("");
  expect(ok({ placed: "queued" })).toBe("Queued. Sent when they are done.");
  expect(ok({ placed: "sent", steering: ["claude"], waiting: ["codex"] })).toBe(
    "Sent to claude while it works. codex will see it when its turn ends.",
  );
});

test("what became of a message is said when it did not simply go out", () => {
  const ok = (result: object) => formatSendResult({ commandId: "c", ok: true, seq: 1, result } as never);
  expect(ok({ messageId: "m", placed: "sent" })).toBe("");
  expect(ok({ placed: "queued" })).toBe("");
  expect(ok({ placed: "sent", steering: ["claude"], waiting: ["codex"] })).toBe(
    "codex will see it when its turn ends.",
  );
  expect(ok({ placed: "sent", muted: ["pi"] })).toBe("pi is muted and was not asked.");
  const error = { code: "busy", message: "Too much.", hint: "Wait." } as const;
  expect(formatSendResult({ commandId: "c", ok: false, error })).toBe("Too much. Wait.");
});

test("a notification is the terminal's own where it is known, else the bell, and no text can end it early", () => {
  const text = "done\u0007\u001b]0;evil\u0007;x";
  expect(notification(text, {})).toBe("\u0007");
  expect(notification(text, { TMUX: "1", KITTY_WINDOW_ID: "1" })).toBe("\u0007");
  expect(notification("done; now", { KITTY_WINDOW_ID: "1" })).toBe("\u001b]99;;done, now\u001b\\");
  const sent = notification(text, { TERM_PROGRAM: "WezTerm" });
  expect(sent.startsWith("\u001b]9;done")).toBe(true);
  const inside = sent.slice(4, -1);
  expect([terminalSafe(inside), inside.includes(";")]).toEqual([inside, false]);
});

test("attention is asked for when a new request waits and when the last turn has ended, not when a session opens", () => {
  const base = stamped([created(), joined("claude"), started("t1", "claude")]);
  const asks: EventDraft = {
    type: "ui_request",
    requestId: "r",
    member: "claude",
    turnId: "t1",
    timeoutMs: 1,
    default: false,
    request: { method: "confirm", title: "Go on?", message: "" },
  };
  const running = fold(empty("session"), base);
  const asked = fold(running, stamped([asks], 3));
  const done = fold(running, stamped([ended("t1", "claude")], 3));
  expect(attentionFor(undefined, asked)).toBeUndefined();
  expect(attentionFor(running, asked)).toBe("claude asks: Go on?");
  expect(attentionFor(asked, asked)).toBeUndefined();
  expect(attentionFor(running, done)).toMatch(/everyone is done$/);
});

import { describe, expect, test } from "vitest";
import { created, ended, joined, said, started, SETTINGS } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { addressed, recipientsOf, formatRecipients, heldMembers, isHeld } from "./recipients.ts";

const at = (...drafts: EventDraft[]) =>
  fold(empty("session"), stamped([created(), joined("qwen"), joined("gptoss"), joined("devstral"), ...drafts]));
const words = (text: string, ...drafts: EventDraft[]) => formatRecipients(recipientsOf(text, at(...drafts)));

const toQwen = [said("m1", ["qwen"]), started("t1", "qwen", { messageIds: ["m1"], rootMessageId: "m1" })];
const toTwo = [
  said("m1", ["qwen", "gptoss"]),
  started("t1", "qwen", { messageIds: ["m1"], rootMessageId: "m1" }),
  started("t2", "gptoss", { messageIds: ["m1"], rootMessageId: "m1" }),
];
const toAll = [
  said("m1", ["qwen", "gptoss", "devstral"], { toAll: true }),
  started("t1", "qwen", { messageIds: ["m1"], rootMessageId: "m1", round: 1 }),
];

describe("recipients of a message", () => {
  test("everyone, when no member is working", () => {
    expect([words("hello"), addressed("hello", at())]).toEqual(["to everyone", { text: "hello" }]);
    expect(formatRecipients(recipientsOf("hello", undefined))).toBe("to everyone");
  });

  test("the recipients of the running message, working or not", () => {
    expect(words("more", ...toQwen)).toBe("to qwen while it works");
    expect(addressed("more", at(...toQwen))).toEqual({ text: "more", to: ["qwen"] });
    expect(words("more", ...toTwo)).toBe("to qwen, gptoss while they work");
    expect(words("more", ...toTwo, ended("t2", "gptoss"))).toBe("to qwen, gptoss");
    expect(addressed("more", at(...toTwo, ended("t2", "gptoss")))).toEqual({ text: "more", to: ["qwen", "gptoss"] });
  });

  test("everyone, when any running message is for everyone", () => {
    expect([words("more", ...toAll), addressed("more", at(...toAll))]).toEqual(["to everyone", { text: "more" }]);
    const both = [...toQwen, said("m2", ["gptoss"], { toAll: true }), started("t9", "gptoss", { rootMessageId: "m2" })];
    expect(addressed("more", at(...both))).toEqual({ text: "more" });
  });

  test("members named at the start of the text win, and the session resolves the names", () => {
    for (const text of ["@gptoss more", "@GPTOSS, more", "@all more", " @gptoss @devstral: more"]) {
      expect(addressed(text, at(...toQwen))).toEqual({ text });
    }
    expect(words("@gptoss more", ...toQwen)).toBe("to gptoss");
    expect(words("@all more", ...toQwen)).toBe("to everyone");
    expect(words("@gptoss and @devstral", ...toQwen)).toBe("to gptoss");
  });

  test("an unknown name is left to the session, after the known ones", () => {
    expect(addressed("@README explain", at(...toQwen))).toEqual({ text: "@qwen @README explain" });
    expect(words("@README explain", ...toQwen)).toBe("to qwen while it works");
  });

  test("turns of subagents and muted members are no recipients", () => {
    const muted: EventDraft = { type: "member_muted", member: "gptoss" };
    expect(addressed("more", at(...toTwo, muted))).toEqual({ text: "more", to: ["qwen"] });
    const below = [started("t5", "looker", { depth: 1, parentTurnId: "t1" })];
    expect(addressed("more", at(...below))).toEqual({ text: "more" });
  });
});

const headOf = (drafts: readonly EventDraft[], mode: "broadcast" | "sequential" = "broadcast") =>
  fold(
    empty("session"),
    stamped([created({ settings: { ...SETTINGS, mode } }), joined("ada"), joined("bob"), ...drafts]),
  ).head;
const running = [said("m1", ["ada"]), started("t1", "ada", { messageIds: ["m1"] })];
const stopped = [...running, ended("t1", "ada", { outcome: "interrupted" })];
const pending: EventDraft = { type: "message_delivery", messageId: "m2", member: "ada", state: "pending" };

test("messages queued for working members wait for them; when none is working they are held", () => {
  expect([isHeld(headOf(running), { to: ["all"] }), isHeld(headOf(running), { to: ["ada"] })]).toEqual([false, false]);
  expect([isHeld(headOf(stopped), { to: ["all"] }), isHeld(headOf(running), { to: ["bob"] })]).toEqual([true, true]);
});

test("in sequential mode nothing is held while any member is working", () => {
  expect(isHeld(headOf(running, "sequential"), { to: ["bob"] })).toBe(false);
  expect(heldMembers(headOf([...running, said("m2", ["bob"]), { ...pending, member: "bob" }], "sequential"))).toEqual(
    [],
  );
});

test("a message for a stopped member is held", () => {
  expect(heldMembers(headOf([...stopped, said("m2", ["ada"]), pending]))).toEqual(["ada"]);
  expect(heldMembers(headOf(stopped))).toEqual([]);
});

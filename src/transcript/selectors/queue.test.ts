import { expect, test } from "vitest";
import { created, ended, joined, said, SETTINGS, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { heldMembers, isHeld } from "./queue.ts";

const headOf = (drafts: readonly EventDraft[], mode: "broadcast" | "sequential" = "broadcast") =>
  fold(
    empty("session"),
    stamped([created({ settings: { ...SETTINGS, mode } }), joined("ada"), joined("bob"), ...drafts]),
  ).head;
const running = [said("m1", ["ada"]), started("t1", "ada", { messageIds: ["m1"] })];
const stopped = [...running, ended("t1", "ada", { outcome: "interrupted" })];
const pending: EventDraft = { type: "message_delivery", messageId: "m2", member: "ada", state: "pending" };

test("what is queued for members that work waits for them; when none of them works it is held", () => {
  expect([isHeld(headOf(running), { to: ["all"] }), isHeld(headOf(running), { to: ["ada"] })]).toEqual([false, false]);
  expect([isHeld(headOf(stopped), { to: ["all"] }), isHeld(headOf(running), { to: ["bob"] })]).toEqual([true, true]);
});

test("one after the other, nothing is held as long as anybody works", () => {
  expect(isHeld(headOf(running, "sequential"), { to: ["bob"] })).toBe(false);
  expect(heldMembers(headOf([...running, said("m2", ["bob"]), { ...pending, member: "bob" }], "sequential"))).toEqual(
    [],
  );
});

test("a message that a stopped member was to be given is held for it", () => {
  expect(heldMembers(headOf([...stopped, said("m2", ["ada"]), pending]))).toEqual(["ada"]);
  expect(heldMembers(headOf(stopped))).toEqual([]);
});

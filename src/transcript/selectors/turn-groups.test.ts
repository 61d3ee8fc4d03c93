import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import type { TurnMessage } from "../messages.ts";
import { messageAt } from "./messages.ts";
import { formatRound, laterRoundAt, turnGroupAt } from "./turn-groups.ts";

const play = (...drafts: EventDraft[]) =>
  fold(empty("session"), stamped([created(), joined("ada"), joined("bob"), joined("cyd"), ...drafts]));
const first = { rootMessageId: "m1", round: 1 };
const second = { rootMessageId: "m1", round: 2, cause: "round" as const };
const start = (member: string): EventDraft => ({ ...started(`t-${member}`, member), ...first });
const groupsOf = (...drafts: EventDraft[]) => {
  const transcript = play(said("m1", ["ada", "bob", "cyd"]), ...drafts);
  return Array.from({ length: transcript.head.messageCount }, (_, position) => turnGroupAt(transcript, position));
};

test("turns of a message that run at the same time are a group, open or over", () => {
  const starts = ["ada", "bob", "cyd"].map(start);
  const group = [1, 2, 3];
  expect(groupsOf(...starts)).toStrictEqual([undefined, group, group, group]);
  expect(groupsOf(...starts, ended("t-ada", "ada"), ended("t-cyd", "cyd"))).toStrictEqual([
    undefined,
    group,
    group,
    group,
  ]);
});

test("turns that follow one another, and those of another round, stand alone", () => {
  const one = [{ ...started("t1", "ada"), ...first }, ended("t1", "ada")];
  const two = [{ ...started("t2", "bob"), ...first }, ended("t2", "bob")];
  expect(groupsOf(...one, ...two)).toStrictEqual([undefined, undefined, undefined]);
  expect(groupsOf({ ...started("t1", "ada"), ...first }, { ...started("t2", "bob"), ...second })).toStrictEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a retried turn stays in the group it ran with", () => {
  const starts = ["ada", "bob"].map(start);
  const again = { ...started("t-again", "ada"), ...first, cause: "retry" as const, replaces: "t-ada" };
  expect(groupsOf(...starts, ended("t-ada", "ada"), ended("t-bob", "bob"), again)).toStrictEqual([
    undefined,
    [1, 2],
    [1, 2],
  ]);
});

test("a later round is one line once all of its turns are over", () => {
  const rounds = [{ ...started("t1", "ada"), ...second }, { ...started("t2", "bob"), ...second }, ended("t1", "ada")];
  const open = play(said("m1", ["ada", "bob"]), ...rounds);
  expect(laterRoundAt(open, 1)).toBeUndefined();
  const over = play(said("m1", ["ada", "bob"]), ...rounds, { ...ended("t2", "bob"), outcome: "errored" as const });
  expect(laterRoundAt(over, 2)).toStrictEqual([1, 2]);
  const turns = [1, 2].map((position) => messageAt(over, position) as TurnMessage);
  expect(formatRound(turns)).toBe("Round 2: ada answered, bob failed");
});

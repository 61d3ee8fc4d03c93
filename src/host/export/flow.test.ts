import { expect, test } from "vitest";
import type { EventDraft } from "../../protocol/index.ts";
import { empty, fold, loadedMessages } from "../../transcript/index.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { createFlow, type FlowItem } from "./flow.ts";

const child = (turnId: string, parentTurnId: string, depth: number): EventDraft =>
  started(turnId, "claude", { cause: "subagent", parentTurnId, depth });

function flowOf(drafts: readonly EventDraft[]): string[] {
  const flow = createFlow();
  const messages = [...loadedMessages(fold(empty("session"), stamped([created(), joined("claude"), ...drafts])))];
  return [...messages.flatMap((message) => flow.push(message)), ...flow.end()].map(nameOf);
}

function nameOf(item: FlowItem): string {
  if (item.kind === "user") return item.message.messageId;
  if (item.kind === "notice") return item.event.type;
  const inner = item.children.map(nameOf);
  return inner.length === 0 ? item.turn.turnId : `${item.turn.turnId}(${inner.join(" ")})`;
}

test("turns are nested in their parent turn at any depth; one with an unknown parent is at the top level", () => {
  const turns = [
    started("a", "claude"),
    child("b", "a", 1),
    child("c", "b", 2),
    child("d", "a", 1),
    child("e", "x", 1),
  ];
  expect(flowOf([said("m", []), ...turns])).toEqual(["m", "a(b(c) d)", "e"]);
});

test("a turn that began long after its parent is at the top level, and nesting is limited", () => {
  const many = Array.from({ length: 300 }, (_, at): EventDraft => said(`m${at}`, []));
  const late = flowOf([started("a", "claude"), ...many, child("b", "a", 1), ended("a", "claude")]);
  expect([late[0], late.at(-1)]).toEqual(["a", "b"]);
  const deep = Array.from({ length: 12 }, (_, at) => child(`t${at + 1}`, `t${at}`, at + 1));
  expect(flowOf([started("t0", "claude"), ...deep])[0]?.match(/\(/g)).toHaveLength(7);
});

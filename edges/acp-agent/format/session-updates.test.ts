import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty, fold } from "../../../src/transcript/index.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { SessionUpdates } from "./session-updates.ts";

function textOf(drafts: readonly EventDraft[]): string {
  const events = stamped([created(), joined("ada"), said("m1", ["ada"]), ...drafts]);
  const updates = new SessionUpdates(empty("session"), { clientId: "editor" }).show(
    fold(empty("session"), events),
    events,
  );
  return textIn(updates);
}

function textIn(updates: readonly SessionUpdate[]): string {
  return updates
    .flatMap((one) =>
      one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? one.content.text : [],
    )
    .join("");
}

test("a member's minutes are shown once, as its turn; assembled ones as a message", () => {
  const turn = { turnId: "t1", member: "ada" };
  const written: readonly EventDraft[] = [
    started("t1", "ada", { cause: "minutes" }),
    { type: "text_done", ...turn, segmentId: "s", text: "We agreed." },
    ended("t1", "ada"),
    { type: "minutes", text: "We agreed.", by: "ada" },
  ];
  expect(textOf(written)).toBe("We agreed.");
  expect(textOf([{ type: "minutes", text: "Assembled." }])).toContain("Assembled.");
});

test("an ended turn is told although another one still speaks, which then continues under its name", () => {
  const words = (member: string, text: string): EventDraft => {
    return { type: "text_delta", turnId: `t-${member}`, member, segmentId: `s-${member}`, text };
  };
  const parts: readonly (readonly EventDraft[])[] = [
    [created(), joined("ada"), joined("bob"), said("m1", []), started("t-bob", "bob"), words("bob", "One ")],
    [started("t-ada", "ada"), words("ada", "Short."), ended("t-ada", "ada")],
    [words("bob", "two."), ended("t-bob", "bob")],
  ];
  const events = stamped(parts.flat());
  const updates = new SessionUpdates(empty("session"), { clientId: "editor" });
  let [transcript, at] = [empty("session"), 0];
  const texts = parts.flatMap((part) => {
    const batch = events.slice(at, (at += part.length));
    transcript = fold(transcript, batch);
    return [updates.show(transcript, batch), updates.release()].map(textIn);
  });
  expect(texts).toEqual(["**bob**\n\nOne ", "", "", "\n\n**ada**\n\nShort.", "\n\n**bob**\n\ntwo.", ""]);
});

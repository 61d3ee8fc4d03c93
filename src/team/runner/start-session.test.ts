import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { authorOf, senderId, type EventDraft, type SessionEvent, type TeamPerson } from "../../protocol/index.ts";
import { expectReached, signed, wellFormed } from "./start-session.ts";

const ada = { id: "01J000000000000000000000AD", name: "ada" };
const bob = { id: "01J000000000000000000000B1", name: "bob" };
const bobs = senderId(bob, "01J000000000000000000000Q7XK");
const LOCAL = "terminal-01JN0000000000000000000001";

const eventOf = (draft: EventDraft): SessionEvent => ({ ...draft, seq: 1, epoch: 1, id: "1", ts: 0, sessionId: "s" });
type Draft<Type extends EventDraft["type"]> = Extract<EventDraft, { type: Type }>;
const message: Draft<"user_message"> = {
  type: "user_message",
  messageId: "m",
  text: "hi",
  to: [],
  toAll: false,
  attachments: [],
};
const stop: Draft<"output_cancelled"> = { type: "output_cancelled", by: LOCAL, scope: "all", turnIds: [] };
const answer: Draft<"ui_response"> = { type: "ui_response", requestId: "r", result: true, error: null };

/** Whoever the copy says it was. */
function senderIn(draft: EventDraft, owner: TeamPerson | undefined): string | undefined {
  const event = signed(eventOf(draft), owner);
  return "clientId" in event ? event.clientId : event.type === "output_cancelled" ? event.by : undefined;
}

test("what was written at the machine of the original is its owner's in the copy", () => {
  const local: EventDraft[] = [
    message,
    { ...message, clientId: LOCAL },
    stop,
    { ...answer, clientId: LOCAL, by: "laptop" },
    { type: "plan_decision", planId: "p", decision: "approve", clientId: LOCAL },
    { type: "compaction_started", member: "scout", clientId: LOCAL },
    { type: "compaction_undone", member: "scout", compactionId: "c", clientId: LOCAL },
  ];
  for (const draft of local) {
    const sender = senderIn(draft, ada);
    expect(authorOf(sender, { me: bob.id, owner: bob })).toBe("ada");
    expect(authorOf(sender, { me: ada.id, owner: bob })).toBeUndefined();
    expect(authorOf(senderIn(draft, { name: "(removed)" }), { me: bob.id, owner: bob })).toBe("(removed)");
    expect(signed(eventOf(draft), undefined)).toEqual(eventOf(draft));
  }
});

test("what has a sender keeps it, and what nobody did gets none", () => {
  expect(senderIn({ ...message, clientId: bobs }, ada)).toBe(bobs);
  expect(senderIn({ ...message, clientId: "bob.Q7XK" }, ada)).toBe("bob.Q7XK");
  expect(senderIn({ ...stop, by: bobs }, ada)).toBe(bobs);
  expect(senderIn({ ...answer, clientId: bobs }, ada)).toBe(bobs);
  expect(senderIn(answer, ada)).toBeUndefined();
  const once = signed(eventOf(message), ada);
  expect(signed(once, { ...ada, name: "cy" })).toEqual(once);
});

test("a link in a shared folder does not lead out of it", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "rt-links-"));
  const at = (...names: string[]) => path.join(home, ...names);
  for (const name of ["project", "project/src", "secret"]) mkdirSync(at(name));
  for (const [target, name] of [
    ["secret", "project/out"],
    ["", "project/up"],
    ["project/src", "project/in"],
    ["project", "alias"],
  ] as const)
    symlinkSync(at(target), at(name), "junction");
  const verdict = async (cwd: string, folder = at("project")) =>
    await expectReached(cwd, folder).then(
      () => "yes",
      ({ code }: { code: string }) => code,
    );
  expect(
    await Promise.all([at("project"), at("project", "src"), at("project", "in")].map((one) => verdict(one))),
  ).toEqual(["yes", "yes", "yes"]);
  // The shared folder may itself be a link: its owner has named it.
  expect(await verdict(at("alias", "src"), at("alias"))).toBe("yes");
  for (const cwd of [at("project", "out"), at("project", "up"), at("project", "up", "secret"), at("alias", "out")])
    expect([cwd, await verdict(cwd)]).toEqual([cwd, "unsupported"]);
  expect(await verdict(at("project", "nowhere"))).toBe("bad_command");
});

test("what is no event of its type is a warning in the copy, and unknown types stay as they are", () => {
  const good = [
    eventOf(message),
    { ...eventOf(message), type: "of a newer version", extra: [1] } as unknown as SessionEvent,
  ];
  expect(good.map(wellFormed)).toEqual(good);
  const changes = [{ text: { a: 1 } }, { to: null }, { ts: "x" }, { type: "plan_update" }, { type: "newer", ts: null }];
  for (const changed of changes) {
    const event = { ...eventOf(message), ...changed } as unknown as SessionEvent;
    expect(wellFormed(event)).toEqual(
      eventOf({
        type: "warning",
        code: "damage",
        message: `An event of type ${event.type} could not be read and is missing here.`,
      }),
    );
  }
});

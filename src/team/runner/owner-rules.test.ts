import { expect, test } from "vitest";
import {
  FOR_ALWAYS,
  FOR_SESSION,
  senderId,
  type Command,
  type Json,
  type MemberSpec,
  type Settings,
} from "../../protocol/index.ts";
import { checkCommand, checkStart, type OwnerRules } from "./owner-rules.ts";

const session = { sessionId: "01J0000000000000000000000A", cwd: "/home/ada/project/src" };
const settings = { writable: false, order: ["scout"], limits: { usd: 1 } } as unknown as Settings;
const scout: MemberSpec = { name: "scout", kind: "embedded", model: "scout" };

const ADA = "01J000000000000000000000AD";
const BOB = "01J000000000000000000000B1";
const ADAS = senderId({ id: ADA, name: "ada.l" }, "Q7XK");
const BOBS = senderId({ id: BOB, name: "bob" }, "Q7XK");

function createRules(changed: Partial<OwnerRules> = {}): OwnerRules {
  return {
    owner: ADA,
    areMessagesOnly: false,
    areAnswersOpen: () => false,
    isOwnerOf: () => false,
    offerFor: (cwd) =>
      cwd.startsWith("/home/ada/project") ? { folder: "/home/ada/project", settings, members: [scout] } : undefined,
    ...changed,
  };
}

function verdict(type: string, sender: string, changed?: Partial<OwnerRules>): string {
  try {
    checkCommand(createRules(changed), { sender, command: { type, commandId: "c" } as Command, session });
    return "yes";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("others send messages and stop, and answer only what was opened on this machine", () => {
  const all = (sender: string, changed?: Partial<OwnerRules>) =>
    ["send", "interrupt", "answer", "plan_decision", "set_settings"].map((type) => verdict(type, sender, changed));
  const no = "unsupported";
  expect(all(ADAS)).toEqual(["yes", "yes", "yes", "yes", "yes"]);
  expect(all(BOBS)).toEqual(["yes", "yes", no, no, no]);
  expect(all(BOBS, { areAnswersOpen: (id) => id === session.sessionId })).toEqual(["yes", "yes", "yes", "yes", no]);
  expect(all(BOBS, { isOwnerOf: (person) => person === BOB })).toEqual(["yes", "yes", "yes", "yes", "yes"]);
  // The owner's name without their id or with another one, their id as a name, and what is no sender.
  const others = [senderId({ id: BOB, name: "ada.l" }, "Q7XK"), senderId({ id: BOB, name: `ada.l.${ADA}` }, "Q7XK")];
  for (const sender of [...others, "ada.l.Q7XK", ADA, `${ADA}.Q7XK`, `ada.l.${ADA}`, `.${ADA}.Q7XK`, ".Q7XK", ""])
    expect([sender, all(sender)]).toEqual([sender, ["yes", "yes", no, no, no]]);
});

test("what a driver always allows is allowed in the session that was opened, and nowhere else", () => {
  const result = (sender: string, given: Json) => {
    const command = { type: "answer", commandId: "c", requestId: "r", result: given } as const;
    const rules = createRules({ areAnswersOpen: () => true });
    return (checkCommand(rules, { sender, command, session }) as typeof command).result;
  };
  expect([ADAS, BOBS].map((sender) => result(sender, FOR_ALWAYS))).toEqual([FOR_ALWAYS, FOR_SESSION]);
  for (const given of [FOR_SESSION, "allow", false, null, { a: FOR_ALWAYS }])
    expect(result(BOBS, given)).toEqual(given);
});

test("with --messages-only nobody approves or changes anything from outside, in nobody's name", () => {
  const open = { areMessagesOnly: true, areAnswersOpen: () => true, isOwnerOf: () => true };
  for (const type of ["answer", "plan_decision", "set_settings", "add_member", "clear"])
    for (const sender of [ADAS, "owner", "sender", ""])
      expect([type, sender, verdict(type, sender, open)]).toEqual([type, sender, "unsupported"]);
  expect(verdict("send", ADAS, open)).toBe("yes");
});

test("nobody brings a program: members are those of this machine, by name", () => {
  const spec: MemberSpec = { name: "scout", kind: "acp", command: ["sh", "-c", "id"], model: "large" };
  const command = { type: "add_member", commandId: "c", spec } as Command;
  expect(checkCommand(createRules(), { sender: ADAS, command, session })).toMatchObject({
    spec: { name: "scout", kind: "embedded", model: "large" },
  });
  expect(JSON.stringify(checkCommand(createRules(), { sender: ADAS, command, session }))).not.toContain('id"]');
  const unknown = { ...command, spec: { ...spec, name: "mallory" } } as Command;
  expect(() => checkCommand(createRules(), { sender: ADAS, command: unknown, session })).toThrow(
    'This machine offers no member "mallory".',
  );
});

test("a session of somebody else begins with the settings of the folder, in a folder that is shared", () => {
  const start = { type: "start", commandId: "c", cwd: session.cwd, title: "t" } as const;
  const wanted = { ...settings, writable: true };
  const begin = (sender: string, changed?: Partial<OwnerRules>) =>
    checkStart(createRules(changed), { sender, command: { ...start, settings: wanted, members: [scout] } });
  expect(begin(ADAS).settings.writable).toBe(true);
  expect(begin(ADAS, { areMessagesOnly: true }).settings.writable).toBe(false);
  expect(begin(BOBS)).toEqual({ folder: "/home/ada/project", settings, members: [scout] });
  expect(() => checkStart(createRules(), { sender: ADAS, command: { ...start, cwd: "/etc" } })).toThrow(
    "/etc is not a folder that this machine shares.",
  );
});

import { expect, test } from "vitest";
import { senderId } from "../../protocol/index.ts";
import { formatAnswerer, formatTimeLeft, type RequestBlock } from "./format-request.ts";

test("what becomes of a request that nobody answers is said, with the time until then", () => {
  const request = { method: "approval", title: "", tool: "shell", call: "ls", callHash: "h", options: [] } as const;
  const open = { member: "ada", ts: 1_000, timeoutMs: 120_000, request: { ...request, options: [] } };
  expect(formatTimeLeft(open, 1_000)).toBe("Auto-denied in 2:00");
  expect(formatTimeLeft(open, 91_500)).toBe("Auto-denied in 0:30");
  expect(formatTimeLeft(open, 121_000)).toBe("Auto-denied now");
  const confirm = { method: "confirm", title: "Go on?", message: "" } as const;
  expect(formatTimeLeft({ ...open, request: confirm }, 1_000)).toBe("Answered no in 2:00");
  expect(formatTimeLeft({ ...open, request: { method: "input", title: "Name?" } }, 999_000)).toBe("Skipped now");
});

test("who answered is the person on a team's server, and the device elsewhere", () => {
  const me = "01J000000000000000000000AD";
  const formerBob = { id: "01J000000000000000000000B1", name: "bob" };
  const people = [
    { id: me, name: "ada" },
    { id: "01J000000000000000000000B2", name: "bob" },
  ];
  const inTeam = { me, owner: people[0], people };
  const elsewhere = { me: undefined, owner: undefined };
  const answered = (clientId?: string, by?: string) =>
    ({ answer: { result: true, error: null, clientId, by } }) as unknown as RequestBlock;
  const bobs = answered(senderId(formerBob, "Q7XK"));
  expect([formatAnswerer(bobs, inTeam), formatAnswerer(bobs, elsewhere)]).toEqual(["bob (removed)", "bob"]);
  const atTheMachine = answered("terminal-1", "terminal a7wy");
  expect([formatAnswerer(atTheMachine, inTeam), formatAnswerer(atTheMachine, elsewhere)]).toEqual([
    "you",
    "terminal a7wy",
  ]);
  expect(formatAnswerer(answered("browser-Q7XK"), elsewhere)).toBe("client Q7XK");
  expect(formatAnswerer({} as RequestBlock, inTeam)).toBe("");
});

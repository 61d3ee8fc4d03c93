import { expect, test } from "vitest";
import type { Json, UiRequestBody } from "../../protocol/index.ts";
import type { OpenRequest } from "../../transcript/index.ts";
import { createTheme } from "../theme/create-theme.ts";
import { PendingRequests } from "./pending-requests.ts";
import { createLineOutput } from "./terminal-lines.ts";

const yesNo: UiRequestBody = { method: "confirm", title: "Go on?", message: "Well?" };
const name: UiRequestBody = { method: "input", title: "Name?" };

function request(requestId: string, member: string, body = yesNo): OpenRequest {
  return { requestId, member, seq: 1, ts: 0, request: body, timeoutMs: 60_000, default: false };
}

function desk(refusal?: string) {
  const heard: string[] = [];
  const answers: [string, Json][] = [];
  const offered: string[] = [];
  const requests = new PendingRequests({
    lines: createLineOutput((text) => heard.push(...text.trimEnd().split("\n"))),
    theme: createTheme({ name: "none", depth: "none" }),
    now: () => 0,
    mayAsk: () => true,
    answer: async (requestId, result) => {
      answers.push([requestId, result]);
      return refusal;
    },
    offerMessage: (text) => offered.push(text),
  });
  /** Types a line that begins and ends now. */
  const type = (text: string) => (requests.meant === undefined ? false : requests.handleLine(text, requests.meant));
  return { requests, heard, answers, offered, type };
}

test("requests are read out one at a time, oldest first, and the next line answers the one that was read", () => {
  const { requests, heard, answers, type } = desk();
  requests.show([request("r1", "ada"), request("r2", "bob")]);
  expect(heard).toContain("ada asks: Go on?");
  expect(heard).toContain("1 more request is waiting after this one.");
  expect(heard).not.toContain("bob asks: Go on?");
  expect(type("1")).toBe(true);
  expect(heard).toContain("bob asks: Go on?");
  requests.show([request("r2", "bob")]);
  expect(type("n")).toBe(true);
  expect(type("hello")).toBe(false);
  expect(answers).toEqual([
    ["r1", true],
    ["r2", false],
  ]);
});

test("a line for a request that was settled meanwhile answers no other one and is not sent, and that is said", () => {
  const { requests, heard, answers, type } = desk();
  requests.show([request("r1", "ada"), request("r2", "bob")]);
  requests.show([request("r2", "bob")]);
  expect(heard.slice(-2)).toEqual([
    "ada is no longer waiting for your answer.",
    "bob is asking you something too; press Enter to hear it.",
  ]);
  expect(type("1")).toBe(true);
  expect(answers).toEqual([]);
  expect(heard).toContain("Your line was not used: ada's request was settled first.");
  expect(heard).toContain("bob asks: Go on?");
  expect(type("1")).toBe(true);
  expect(answers).toEqual([["r2", true]]);
});

test("an answer to a settled request is offered as a message; other lines are messages again", () => {
  const { requests, offered, type } = desk();
  requests.show([request("r1", "ada", name)]);
  requests.show([]);
  expect(type("Ada Lovelace")).toBe(true);
  expect(offered).toEqual(["Ada Lovelace"]);
  expect(type("Ada Lovelace")).toBe(false);
  requests.show([request("r2", "ada")]);
  requests.show([]);
  expect(type("please go on")).toBe(false);
});

test("a dismissed request stays open and is read again when picked; a rejected answer is announced", async () => {
  const { requests, heard, answers, type } = desk("already closed");
  requests.show([request("r1", "ada")]);
  type("what?");
  expect(heard).toContain("Not an answer, and not sent. That is not a number. Choose a number from 1 to 2.");
  type("later");
  expect([requests.isAsking, answers]).toEqual([false, []]);
  requests.show([request("r1", "ada")]);
  expect(requests.isAsking).toBe(false);
  requests.pick("r1");
  type("y");
  await Promise.resolve();
  await Promise.resolve();
  expect(heard).toContain("Your answer to ada was not accepted: already closed");
  expect(requests.isAsking).toBe(true);
});

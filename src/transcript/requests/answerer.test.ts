import { expect, test } from "vitest";
import { senderId, type SeenAs } from "../../protocol/index.ts";
import { answeredBy } from "./answerer.ts";
import { requestOutcome } from "./outcome.ts";

const ada = { id: "01J000000000000000000000AD", name: "ada" };
const formerBob = { id: "01J000000000000000000000B1", name: "bob" };
const bob = { id: "01J000000000000000000000B2", name: "bob" };

const request = { method: "confirm", title: "Go on?", message: "" } as const;

test("who answered is named as who wrote a message; where there is no team, by the device", () => {
  const clients = [...[ada, formerBob, bob].map((one) => senderId(one, "Q7XK")), "terminal-1"];
  const answerers = (seenAs?: SeenAs) =>
    clients.map((clientId) => {
      const answer = { result: true, error: null, clientId, by: "terminal a7wy" };
      return answeredBy(requestOutcome(request, "answered", answer), seenAs);
    });
  const people = [ada, bob];
  expect(answerers({ me: ada.id, owner: ada, people })).toEqual(["by you", "by bob (removed)", "by bob", "by you"]);
  expect(answerers({ me: bob.id, owner: ada, people })).toEqual(["by ada", "by bob (removed)", "by you", "by ada"]);
  // At the machine of the session, and with an own server.
  const devices = ["from ada's device", "from bob's device", "from bob's device", "from terminal a7wy"];
  expect(answerers()).toEqual(devices);
  expect(answerers({ me: undefined, owner: undefined })).toEqual(devices);
});

test("nobody is named where nobody answered", () => {
  const seenAs = { me: ada.id, owner: ada };
  expect(answeredBy(requestOutcome(request, "expired", undefined), seenAs)).toBeUndefined();
  const closed = { result: false, error: "the screen was closed" };
  expect(answeredBy(requestOutcome(request, "answered", closed), seenAs)).toBeUndefined();
});

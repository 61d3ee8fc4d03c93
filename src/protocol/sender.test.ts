import { expect, test } from "vitest";
import { authorOf, senderId, senderOf, type SeenAs } from "./sender.ts";

const ADA = "01J000000000000000000000AD";
const BOB = "01J000000000000000000000B1";
const LATER_BOB = "01J000000000000000000000B2";
const DEVICE = "01J000000000000000000000Q7XK".slice(-26);
const ada = { id: ADA, name: "ada" };
const bob = { id: LATER_BOB, name: "bob" };

const adas = senderId(ada, DEVICE);
const formerBobs = senderId({ id: BOB, name: "Bob" }, DEVICE);
const bobs = senderId(bob, DEVICE);
const clients = [adas, formerBobs, bobs, "terminal-01JN0000000000000000000001", undefined];
const authors = (seenAs?: SeenAs) => clients.map((id) => authorOf(id, seenAs));

test("a reader is told who else wrote; what was written at the machine is its owner's", () => {
  const people = [ada, bob];
  expect(authors({ me: ADA, owner: ada, people })).toEqual([undefined, "Bob (removed)", "bob", undefined, undefined]);
  expect(authors({ me: LATER_BOB, owner: ada, people })).toEqual(["ada", "Bob (removed)", undefined, "ada", "ada"]);
  expect(authors({ me: undefined, owner: ada })).toEqual(["ada", "Bob", "bob", undefined, undefined]);
  expect(authors()).toEqual(["ada", "Bob", "bob", undefined, undefined]);
});

test("a name that somebody has taken over does not make the messages of its earlier owner theirs", () => {
  const owner = { id: BOB, name: "bob" };
  expect(authors({ me: LATER_BOB, owner })).toEqual(["ada", "Bob", undefined, "bob", "bob"]);
  // The machine of somebody who was removed, and a message of a version that noted no id.
  expect(authorOf(undefined, { me: LATER_BOB, owner: { name: "(removed)" } })).toBe("(removed)");
  expect(authorOf("bob.Q7XK", { me: LATER_BOB, owner, people: [bob] })).toBe("bob");
  // Read before the later one joined.
  expect(authorOf(bobs, { me: ADA, owner, people: [ada, owner] })).toBe("bob");
});

test("a sender is read as it was written, whatever the name", () => {
  for (const name of ["ada", "ada.l", `eve.${ADA}`, `eve.${ADA}.Q7XK`, "ада", "A"])
    expect(senderOf(senderId({ id: BOB, name }, DEVICE))).toEqual({ id: BOB, name });
  expect(senderOf("ada.l.Q7XK")).toEqual({ id: undefined, name: "ada.l" });
  for (const none of [undefined, "", "ada", "ada.l.q7xk", ".Q7XK", "terminal-01JN0000000000000000000001"])
    expect(senderOf(none)).toBeUndefined();
  // As long as a client id may be.
  expect(senderId({ id: ADA, name: "n".repeat(32) }, DEVICE)).toHaveLength(64);
});

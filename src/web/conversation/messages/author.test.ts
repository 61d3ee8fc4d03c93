import { expect, test } from "vitest";
import { senderId, type SessionSummary } from "../../../protocol/index.ts";
import type { UserMessage } from "../../../transcript/index.ts";
import { messageAuthor } from "./author.ts";

const ada = { id: "01J000000000000000000000AD", name: "ada" };
const formerBob = { id: "01J000000000000000000000B1", name: "bob" };
const bob = { id: "01J000000000000000000000B2", name: "bob" };

test("messages of others have a name on a team's server; what was written at the machine is its owner's", () => {
  const at = { runner: "box", person: "ada", personId: ada.id, isConnected: true };
  const sessions = [{ sessionId: "S", at }, { sessionId: "own" }] as SessionSummary[];
  const clients = [...[ada, bob, formerBob].map((one) => senderId(one, "Q7XK")), "terminal-1", undefined];
  const authors = (me: typeof ada | undefined, sessionId: string) =>
    clients.map((clientId) =>
      messageAuthor({ clientId } as UserMessage, {
        team: me && { me, people: [ada, bob] },
        sessions,
        sessionId,
      }),
    );
  expect(authors(ada, "S")).toEqual([undefined, "bob", "bob (removed)", undefined, undefined]);
  expect(authors(bob, "S")).toEqual(["ada", undefined, "bob (removed)", "ada", "ada"]);
  // On the machine itself nobody is known by name but those who came through the server.
  expect(authors(undefined, "own")).toEqual(["ada", "bob", "bob", undefined, undefined]);
});

import { expect, test } from "vitest";
import type { SessionSummary } from "../../../protocol/index.ts";
import type { UserMessage } from "../../../transcript/index.ts";
import { messageAuthor } from "./author.ts";

test("messages of others have a name on a team's server; what was written at the machine is its owner's", () => {
  const at = { runner: "box", person: "ada", isConnected: true };
  const sessions = [{ sessionId: "S", at }, { sessionId: "own" }] as SessionSummary[];
  const authors = (me: string | undefined, sessionId: string) =>
    ["ada.Q7XK", "bob.0ABC", "terminal-01JN0000000000000000000001", undefined].map((clientId) =>
      messageAuthor({ clientId } as UserMessage, { me, sessions, sessionId }),
    );
  expect(authors("ada", "S")).toEqual([undefined, "bob", undefined, undefined]);
  expect(authors("bob", "S")).toEqual(["ada", undefined, "ada", "ada"]);
  // On the machine itself nobody is known by name but those who came through the server.
  expect(authors(undefined, "own")).toEqual(["ada", "bob", undefined, undefined]);
});

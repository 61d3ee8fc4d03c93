import { expect, test } from "vitest";
import { createBeginning } from "./begin-session.ts";

/** A host whose answers are given by the test. */
function watched(putAway: (sessionId: string) => Promise<void> = async () => {}) {
  const told: string[] = [];
  let made = 0;
  const beginning = createBeginning({
    create: async (text) => {
      told.push(`create ${text}`);
      return `s${(made += 1)}`;
    },
    show: (sessionId, opening) => told.push(`show ${sessionId} at ${opening}`),
    putAway(sessionId) {
      told.push(`put away ${sessionId}`);
      return putAway(sessionId);
    },
    onLeft: (why) => told.push(`left: ${why}`),
  });
  const send = (text: string, opening = 1) => {
    const answer = Promise.withResolvers<void>();
    const sent = beginning.send({ opening, text }, async (session) => {
      told.push(`${text} to ${await session}`);
      await answer.promise;
    });
    const settled = sent.catch((error: Error) => void told.push(`${text}: ${error.message}`));
    return { ...answer, settled };
  };
  const rests = () => new Promise(setImmediate);
  return { told, send, rests, accepted: (opening: number) => beginning.accepted(opening) };
}

test("a session whose messages were all rejected is deleted, and the next message creates another", async () => {
  const { told, send, rests } = watched();
  const [one, two] = [send("one"), send("two")];
  await rests();
  one.reject(new Error("refused"));
  await one.settled;
  await rests();
  expect(told).toEqual(["create one", "one to s1", "two to s1", "one: refused"]);
  two.reject(new Error("refused"));
  await two.settled;
  await rests();
  expect(told.slice(4).sort()).toEqual(["put away s1", "two: refused"]);
  send("three");
  await rests();
  expect(told.slice(6)).toEqual(["create three", "three to s2"]);
});

test("a session with an accepted message stays and is shown once, and a message from another opening creates another", async () => {
  const { told, send, rests } = watched();
  const [one, two, elsewhere] = [send("one"), send("two"), send("three", 2)];
  await rests();
  one.reject(new Error("refused"));
  two.resolve();
  elsewhere.resolve();
  await Promise.all([one.settled, two.settled, elsewhere.settled]);
  await rests();
  expect(told.filter((line) => /^(show|put|create)/.test(line))).toEqual([
    "create one",
    "create three",
    "show s1 at 1",
    "show s2 at 2",
  ]);
});

test("a session that cannot be deleted is reported, and one that was never created is not deleted", async () => {
  const { told, send, rests } = watched(() => Promise.reject(new Error("something was said in it")));
  const one = send("one");
  one.reject(new Error("refused"));
  await one.settled;
  await rests();
  expect(told.at(-1)).toBe("left: something was said in it");

  const left: string[] = [];
  const putAway = async (sessionId: string) => void left.push(sessionId);
  const create = () => Promise.reject(new Error("no such directory"));
  const none = createBeginning({ create, show: () => {}, putAway, onLeft: (why) => left.push(why) });
  await expect(none.send({ opening: 1, text: "one" }, async (session) => void (await session))).rejects.toThrow(
    "no such directory",
  );
  await rests();
  expect(left).toEqual([]);
});

test("what stops the first messages learns their session once one is accepted, and nothing when all are rejected", async () => {
  const { send, accepted } = watched();
  expect(await accepted(1)).toBeUndefined();
  const [one, two] = [send("one"), send("two")];
  const session = accepted(1);
  one.reject(new Error("refused"));
  two.resolve();
  expect(await session).toBe("s1");
  expect(await accepted(1)).toBeUndefined();
  const three = send("three", 2);
  const none = accepted(2);
  three.reject(new Error("refused"));
  expect(await none).toBeUndefined();
});

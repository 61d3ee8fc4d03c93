import { expect, test } from "vitest";
import { empty, type Transcript } from "../../../transcript/index.ts";
import { Repository } from "./repository.ts";

test("a session whose first event has not arrived keeps the directory that is shown", async () => {
  const asked: (string | undefined)[] = [];
  const conversation: { isRunning: boolean; transcript: Transcript | undefined } = {
    isRunning: false,
    transcript: undefined,
  };
  const repository = new Repository({
    conversation: () => conversation,
    onChange: () => {},
    describeDirectory: async (cwd) => {
      asked.push(cwd);
      return { path: cwd ?? "~/here" };
    },
  });
  repository.update();
  conversation.transcript = empty("session");
  repository.update();
  conversation.isRunning = true;
  repository.update();
  await Promise.resolve();
  expect(repository.directory?.path).toBe("~/here");
  expect(asked).toEqual([undefined]);
});

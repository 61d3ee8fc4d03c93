import { expect, test } from "vitest";
import { createLatestQuery } from "./use-completion.tsx";

test("one question is open at most; of those that come meanwhile the newest is asked, and overtaken or failed ones are answered with nothing", async () => {
  const asked: { question: string; answer: PromiseWithResolvers<string | undefined> }[] = [];
  const taken: string[] = [];
  const ask = createLatestQuery<string, string>({
    ask(question) {
      const answer = Promise.withResolvers<string | undefined>();
      asked.push({ question, answer });
      return answer.promise;
    },
    onAnswer: (question, answer) => taken.push(`${question}: ${answer}`),
  });
  const settle = async (at: number, how: (answer: PromiseWithResolvers<string | undefined>) => void) => {
    how(asked[at]?.answer ?? Promise.withResolvers());
    await new Promise(setImmediate);
  };
  const questions = () => asked.map(({ question }) => question);
  for (const typed of ["s", "sr", "src"]) ask(typed);
  expect(questions()).toEqual(["s"]);
  await settle(0, (answer) => answer.resolve("late"));
  expect([questions(), taken]).toEqual([["s", "src"], []]);
  await settle(1, (answer) => answer.resolve("in time"));
  expect(taken).toEqual(["src: in time"]);
  ask("x");
  await settle(2, (answer) => answer.reject(new Error("no such disk")));
  ask("y");
  await settle(3, (answer) => answer.resolve(undefined));
  ask("z");
  await settle(4, (answer) => answer.resolve("still there"));
  expect([questions().slice(2), taken]).toEqual([
    ["x", "y", "z"],
    ["src: in time", "z: still there"],
  ]);
});

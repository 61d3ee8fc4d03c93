import { expect, test } from "vitest";
import * as z from "zod";
import { argumentProblem } from "./argument-problem.ts";
import { hostTools } from "./host-tools.ts";

const schema = z.strictObject({
  text: z.string().min(1).max(5),
  count: z.int().positive().max(20).optional(),
  ratio: z.number().optional(),
  wait: z.boolean().optional(),
  type: z.enum(["info", "warn"]).optional(),
  content: z.union([z.string(), z.array(z.string()), z.null()]).optional(),
  items: z.array(z.object({ title: z.string() })).optional(),
});

function problem(given: unknown, args: z.ZodType = schema): string | undefined {
  const parsed = args.safeParse(given);
  return parsed.success ? undefined : argumentProblem(parsed.error, given);
}

test.each([
  [{}, "`text` is missing."],
  [{ text: 4 }, "`text` must be a string."],
  [{ text: "" }, "`text` must not be empty."],
  [{ text: "too long" }, "`text` must have at most 5 characters."],
  [{ text: "a", count: 1.5 }, "`count` must be a whole number."],
  [{ text: "a", count: 0 }, "`count` must be more than 0."],
  [{ text: "a", count: 21 }, "`count` must be at most 20."],
  [{ text: "a", ratio: "much" }, "`ratio` must be a number."],
  [{ text: "a", type: "loud" }, '`type` must be "info" or "warn".'],
  [{ text: "a", content: 4 }, "`content` must be a string, a list or null."],
  [{ text: "a", content: ["x", 4] }, "`content[1]` must be a string."],
  [{ text: "a", items: {} }, "`items` must be a list."],
  [{ text: "a", items: [{}] }, "`items[0].title` is missing."],
  [{ text: "a", more: 1 }, "there is no argument `more`."],
  [{ wait: "yes" }, "`text` is missing; `wait` must be true or false."],
  ["text", "the arguments must be an object."],
])("arguments %j are refused in words: %s", (given, words) => {
  expect(problem(given)).toBe(words);
});

test("a rule of its own is told as it is", () => {
  const search = hostTools.find(({ name }) => name === "history_search")?.args;
  expect(problem({}, search)).toBe("pass either query or seq.");
});

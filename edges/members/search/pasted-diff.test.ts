import { expect, test } from "vitest";
import { parseCriticQuestion } from "../critic/critic-question.ts";
import { parseHistoryQuestion } from "../historian/history-question.ts";
import { withoutDiff } from "./question.ts";
import { parseQuestion } from "./question.ts";

const DIFF = `diff --git a/src/lock.ts b/src/lock.ts
index 65c9ac7..2c18b67 100644
--- a/src/lock.ts
+++ b/src/lock.ts
@@ -1,3 +1,3 @@ function takeLock() {
 const a = 1;
-const timeoutMs = 5;
+const timeoutMs = 7;
diff --git a/README.md b/README.md
new file mode 100644
index 0000000..ebef56e
--- /dev/null
+++ b/README.md
@@ -0,0 +1 @@
+Hello
`;
const PIPED = `Review this change\n\n<stdin>\n${DIFF}\n</stdin>`;

test("a diff in a question names the files it changes, and its lines are not search terms", () => {
  const { paths, terms, isCut } = parseQuestion(PIPED.replace("Hello", "long ".repeat(2_000)));
  expect(paths).toEqual(["src/lock.ts", "README.md"]);
  expect(terms.filter((term) => term.kind !== "part").map((term) => term.shown)).toEqual([]);
  expect(isCut).toBe(false);
});

test("its lines may end with CRLF, and its paths may have any prefix", () => {
  const paths = ["src/a b.ts", "src/lock.ts", "lock.ts"];
  const heads = ["a/src/a b.ts b/src/a b.ts", "i/src/lock.ts w/src/lock.ts", "lock.ts lock.ts"];
  const text = heads.map((head) => `diff --git ${head}\r\n+x\r\n`).join("");
  expect(withoutDiff(`Review\r\n${text}`).text.split("\n").slice(-3)).toEqual(paths);
});

test("words beside a diff are still searched", () => {
  const { terms } = parseQuestion(`Does this patch release the semaphore?\n${DIFF}\nAnd the mutex?`);
  expect(terms.filter((term) => term.kind === "word").map((term) => term.shown)).toEqual([
    "release",
    "semaphore",
    "mutex",
  ]);
});

test("blob ids of a diff are not commits, and the critic reviews its files", () => {
  const { kind, commitIds } = parseHistoryQuestion(PIPED);
  expect({ kind, commitIds }).toEqual({ kind: "words", commitIds: [] });
  const { kind: asked, asksForRisks, question } = parseCriticQuestion(PIPED);
  expect({ asked, asksForRisks, paths: question.paths }).toEqual({
    asked: "words",
    asksForRisks: true,
    paths: ["src/lock.ts", "README.md"],
  });
});

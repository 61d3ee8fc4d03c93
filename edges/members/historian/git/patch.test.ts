import { expect, test } from "vitest";
import { parseTerms } from "../../search/terms.ts";
import { bestExcerpt, parsePatch } from "./patch.ts";

const PATCH = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@ function head() {
 one
--- a/not-a-head
+++ b/not-a-head
 three
@@ -10 +10 @@
-takeLock();
\\ No newline at end of file
+takeLock(1);
diff --git a/old.ts b/new.ts
similarity index 90%
rename from old.ts
rename to new.ts
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/src/a.test.ts b/src/a.test.ts
new file mode 100644
--- /dev/null
+++ b/src/a.test.ts
@@ -0,0 +1,2 @@
+takeLock(); takeLock();
+takeLock();
`;

test("a patch is read by its hunk counts, so that no line of a file looks like a header", () => {
  expect(parsePatch(PATCH)).toEqual([
    {
      path: "src/a.ts",
      change: "changed",
      added: 2,
      removed: 2,
      hunks: [
        {
          path: "src/a.ts",
          head: "@@ -1,3 +1,3 @@",
          lines: [" one", "--- a/not-a-head", "+++ b/not-a-head", " three"],
        },
        {
          path: "src/a.ts",
          head: "@@ -10 +10 @@",
          lines: ["-takeLock();", "\\ No newline at end of file", "+takeLock(1);"],
        },
      ],
    },
    { path: "new.ts", change: "renamed", added: 0, removed: 0, hunks: [] },
    {
      path: "gone.ts",
      change: "deleted",
      added: 0,
      removed: 1,
      hunks: [{ path: "gone.ts", head: "@@ -1 +0,0 @@", lines: ["-gone"] }],
    },
    {
      path: "src/a.test.ts",
      change: "added",
      added: 2,
      removed: 0,
      hunks: [{ path: "src/a.test.ts", head: "@@ -0,0 +1,2 @@", lines: ["+takeLock(); takeLock();", "+takeLock();"] }],
    },
  ]);
});

test("the excerpt of a change is the source that matches, around the match", () => {
  expect(bestExcerpt(parsePatch(PATCH), parseTerms("takeLock").terms)?.path).toBe("src/a.ts");
  const long = Array.from({ length: 60 }, (_, at) => `+${at === 40 ? "takeLock();" : `line ${at}`}`);
  const patch = `diff --git a/b.ts b/b.ts\n--- a/b.ts\n+++ b/b.ts\n@@ -0,0 +1,60 @@\n${long.join("\n")}\n`;
  const excerpt = bestExcerpt(parsePatch(patch), parseTerms("takeLock").terms);
  expect(excerpt?.lines.slice(0, 5)).toEqual(["@@ -0,0 +1,60 @@", "…", "+line 37", "+line 38", "+line 39"]);
  expect(excerpt?.lines.at(-1)).toBe("… 9 more lines");
  expect(bestExcerpt([], [])).toBeUndefined();
});

import { expect, test } from "vitest";
import { diffCounts, diffLines } from "./diff-view.tsx";

test("a diff is lines with their numbers in the old and the new file; dashes inside a change are content", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ f\n kept\n--- removed dashes\n+new\n last\n";
  expect(diffLines(diff)).toEqual([
    { kind: "file", text: "--- a/x" },
    { kind: "file", text: "+++ b/x" },
    { kind: "hunk", text: "@@ -3,3 +3,3 @@ f" },
    { kind: "kept", text: " kept", oldNumber: 3, newNumber: 3 },
    { kind: "removed", text: "--- removed dashes", oldNumber: 4 },
    { kind: "added", text: "+new", newNumber: 4 },
    { kind: "kept", text: " last", oldNumber: 5, newNumber: 5 },
  ]);
  expect(diffCounts(diff)).toEqual({ added: 1, removed: 1 });
});

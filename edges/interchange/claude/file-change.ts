/** The diff of an edit, out of what the program keeps beside a tool's result. */
import { fieldsOf, listOf, numberOf, recordsOf, textOf } from "../../../src/kit/fields.ts";

/** Undefined when the tool changed no file, or nobody wrote down how. */
export function diffOf(toolUseResult: unknown): string | undefined {
  const result = fieldsOf(toolUseResult);
  const path = textOf(result?.["filePath"]);
  if (result === undefined || path === undefined || !Array.isArray(result["structuredPatch"])) return undefined;
  const heads = [`--- ${path}`, `+++ ${path}`];
  if (result["type"] === "create") {
    const lines = (textOf(result["content"]) ?? "").replace(/\n$/, "").split("\n");
    return [...heads, `@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join("\n");
  }
  const hunks = recordsOf(result["structuredPatch"]).map((hunk) => {
    const [oldStart, oldLines, newStart, newLines] = ["oldStart", "oldLines", "newStart", "newLines"].map(
      (key) => numberOf(hunk[key]) ?? 0,
    );
    const lines = listOf(hunk["lines"]).flatMap((line) => textOf(line) ?? []);
    return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join("\n");
  });
  return hunks.length === 0 ? undefined : [...heads, ...hunks].join("\n");
}

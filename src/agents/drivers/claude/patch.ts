/** Diffs of files, from Claude Code's records before and after an edit. */
import { EDIT_TEXT_KEYS, type FileChange } from "../../../protocol/index.ts";
import { headName } from "../../line-diff.ts";
import { cutDiff, linesOf, uncutDiff } from "../../file-changes.ts";
import { numberOf, recordsOf, rawTextOf, textsOf, type Fields } from "../../../kit/fields.ts";

/** Texts that each tool uses. With others in the input a diff would not say which ones count. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  Write: ["content"],
  NotebookEdit: ["new_source"],
  Edit: ["old_string", "new_string"],
  MultiEdit: ["edits"],
};

/** Diff of a proposed edit, from its input; undefined when it is no edit, or cannot be shown whole and exactly. */
export function proposedDiff(tool: string, input: Fields): string | undefined {
  const texts = TEXTS[tool];
  const given = [...EDIT_TEXT_KEYS, "edits"].filter((key) => input[key] !== undefined);
  if (texts === undefined || !given.every((key) => texts.includes(key))) return undefined;
  const path = rawTextOf(input["file_path"]) ?? rawTextOf(input["notebook_path"]);
  if (path === undefined) return undefined;
  const content = rawTextOf(input["content"]) ?? rawTextOf(input["new_source"]);
  if (content !== undefined) return uncutDiff(wholeFile(path, content));
  const edits = tool === "MultiEdit" ? recordsOf(input["edits"]) : [input];
  const hunks = edits.flatMap((edit) => {
    const before = rawTextOf(edit["old_string"]);
    const after = rawTextOf(edit["new_string"]);
    return before === undefined || after === undefined
      ? []
      : [["@@ @@", ...marked("-", before), ...marked("+", after)].join("\n")];
  });
  return hunks.length === 0 ? undefined : uncutDiff([...heads(path), ...hunks].join("\n"));
}

/** Change that an edit has made; undefined when the tool changed no file. */
export function doneChange(toolUseResult: Fields | undefined): FileChange | undefined {
  const path = rawTextOf(toolUseResult?.["filePath"]);
  if (toolUseResult === undefined || path === undefined) return undefined;
  if (!Array.isArray(toolUseResult["structuredPatch"])) return undefined;
  const content = rawTextOf(toolUseResult["content"]) ?? "";
  if (toolUseResult["type"] === "create") {
    return {
      path,
      status: "added",
      added: linesOf(content).length,
      removed: 0,
      diff: cutDiff(wholeFile(path, content)),
    };
  }
  const hunks = recordsOf(toolUseResult["structuredPatch"]);
  const changed = hunks.flatMap((hunk) => textsOf(hunk["lines"]));
  if (changed.length === 0) return undefined;
  const diff = cutDiff([...heads(path), ...hunks.map(hunkText)].join("\n"));
  const added = changed.filter((line) => line.startsWith("+")).length;
  return { path, status: "modified", added, removed: changed.filter((line) => line.startsWith("-")).length, diff };
}

function hunkText(hunk: Fields): string {
  const [oldStart, oldLines, newStart, newLines] = ["oldStart", "oldLines", "newStart", "newLines"].map(
    (key) => numberOf(hunk[key]) ?? 0,
  );
  return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...textsOf(hunk["lines"])].join("\n");
}

function wholeFile(path: string, content: string): string {
  const added = marked("+", content);
  return [...heads(path), `@@ -0,0 +1,${added.length} @@`, ...added].join("\n");
}

function heads(path: string): string[] {
  return [`--- ${headName(path)}`, `+++ ${headName(path)}`];
}

function marked(mark: string, text: string): string[] {
  return linesOf(text).map((line) => mark + line);
}

/** Reads a text file, or throws with the reason for the model. */
import { stat } from "node:fs/promises";
import { createTextReader, FILE_BYTES_MAX } from "../../tools/text-reader.ts";
import { shown, type ResolvedPath } from "./resolve-path.ts";
import { ToolError } from "./tool.ts";

export interface ReadFile {
  readonly text: string;
  /** False when bytes were lost in decoding, so that writing it back would corrupt the file. */
  readonly isExact: boolean;
}

export async function readTextFile(root: string, target: ResolvedPath): Promise<ReadFile> {
  const name = shown(target.path);
  const file = await createTextReader(root).read(target.path);
  switch (file.kind) {
    case "text":
      return { text: file.text, isExact: Buffer.byteLength(file.text) === file.bytes && !hasReplacement(file.text) };
    case "binary":
      throw new ToolError("tool_error", `${name} is not text.`);
    case "huge":
      throw new ToolError(
        "tool_error",
        `${name} has ${file.bytes} bytes; the limit is ${FILE_BYTES_MAX}. Use search instead.`,
      );
    case "other":
      throw new ToolError("tool_error", `${name} is not a file.`);
    default:
      throw new ToolError("tool_error", await whyUnreadable(target));
  }
}

/** Undefined when the file does not exist. */
export async function readIfThere(root: string, target: ResolvedPath): Promise<ReadFile | undefined> {
  return (await isThere(target.full)) ? readTextFile(root, target) : undefined;
}

/** A replacement character may have the byte length of what it replaces: only its presence tells. */
function hasReplacement(text: string): boolean {
  return text.includes("\uFFFD");
}

async function whyUnreadable(target: ResolvedPath): Promise<string> {
  return (await isThere(target.full))
    ? `${shown(target.path)} cannot be read.`
    : `File ${shown(target.path)} does not exist. Use list to see the files.`;
}

async function isThere(full: string): Promise<boolean> {
  try {
    await stat(full);
    return true;
  } catch {
    // Missing or hidden: the same to the reader.
    return false;
  }
}

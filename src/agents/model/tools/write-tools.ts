/**
 * Tools that change files: write and edit.
 * A plan shows the exact diff and is bound to the file's content, so that an approval cannot apply to another version;
 * a file is replaced atomically.
 */
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { sha256 } from "./canonical-call.ts";
import { truncateText } from "../../../kit/text/truncating-buffer.ts";
import { diffLines } from "../../line-diff.ts";
import { inDirectory } from "./held-directory.ts";
import { resolveWritablePath, shown, type ResolvedPath } from "./resolve-path.ts";
import { readIfThere } from "./read-text.ts";
import { defineTool, ToolError, type ToolContext, type ToolPlan } from "./tool.ts";

const WRITE_MS_MAX = 20_000;
const CONTENT_CHARS_MAX = 1024 * 1024;
const DIFF_BYTES_MAX = 48 * 1024;

export const writeTool = defineTool({
  name: "write",
  description: "Write a whole text file in the working directory. Replaces an existing file.",
  args: z.object({ path: z.string(), content: z.string().max(CONTENT_CHARS_MAX) }),
  kind: "edit",
  gate: "asks",
  deadlineMs: WRITE_MS_MAX,
  title: ({ path }) => `Write ${shown(path)}`,
  plan: async ({ path, content }, context) => {
    const target = await resolveWritablePath(context.root, path);
    const before = (await readIfThere(context.root, target))?.text;
    return planChange(context, target, before, content);
  },
});

export const editTool = defineTool({
  name: "edit",
  description: "Replace text in a file of the working directory. The old text must occur exactly once.",
  args: z.object({
    path: z.string(),
    old_string: z
      .string()
      .min(1)
      .max(CONTENT_CHARS_MAX)
      .describe("Exactly as in the file, with enough context to be unique"),
    new_string: z.string().max(CONTENT_CHARS_MAX),
    replace_all: z.boolean().optional().describe("Replace every occurrence"),
  }),
  kind: "edit",
  gate: "asks",
  deadlineMs: WRITE_MS_MAX,
  title: ({ path }) => `Edit ${shown(path)}`,
  plan: async ({ path, old_string, new_string, replace_all = false }, context) => {
    const target = await resolveWritablePath(context.root, path);
    const file = await readIfThere(context.root, target);
    if (file === undefined)
      throw new ToolError("tool_error", `File ${shown(path)} does not exist. Use write to create it.`);
    if (!file.isExact) throw new ToolError("tool_error", `${shown(path)} is not UTF-8 text; an edit would damage it.`);
    const count = countOf(file.text, old_string);
    if (count === 0)
      throw new ToolError("tool_error", `The old text does not occur in ${shown(path)}. Read the file again.`);
    if (count > 1 && !replace_all) {
      throw new ToolError(
        "tool_error",
        `The old text occurs ${count} times in ${shown(path)}. Add context to make it unique.`,
      );
    }
    const chars = file.text.length + count * (new_string.length - old_string.length);
    // Checked first: replacing a million matches could produce a huge text.
    if (chars > CONTENT_CHARS_MAX) {
      throw new ToolError(
        "tool_error",
        `${shown(path)} would have ${chars} characters; the limit is ${CONTENT_CHARS_MAX}.`,
      );
    }
    return planChange(context, target, file.text, file.text.split(old_string).join(new_string));
  },
});

function planChange(context: ToolContext, target: ResolvedPath, before: string | undefined, after: string): ToolPlan {
  const { text, added, removed } = diffLines(target.path, before, after);
  const { text: diff, isCut } = truncateText(text, DIFF_BYTES_MAX);
  return {
    subject: { kind: "path", text: target.path },
    bound: { path: target.path, before: before === undefined ? null : sha256(before) },
    // What is approved is seen whole: here by the arguments.
    ...(isCut ? {} : { diff }),
    run: async () => {
      if (before === after) return { text: `${shown(target.path)} already has this content; nothing was written.` };
      context.signal.throwIfAborted();
      await writeTarget(context.root, target, after);
      context.changes.add(target.path, before, after);
      const what = before === undefined ? "is new" : "was changed";
      return { text: `${shown(target.path)} ${what} (+${added} -${removed} lines).`, diff };
    },
  };
}

/** Resolved again: the directory may have been replaced by a link since the plan. */
async function writeTarget(root: string, target: ResolvedPath, content: string): Promise<void> {
  const mode = await modeOf(target.full);
  await checkUnmoved(root, target);
  await mkdir(dirname(target.full), { recursive: true });
  await checkUnmoved(root, target);
  await inDirectory(dirname(target.full), (held) =>
    writeFileAtomic(join(held, basename(target.full)), content, { mode }),
  );
}

async function checkUnmoved(root: string, target: ResolvedPath): Promise<void> {
  const again = await resolveWritablePath(root, target.full);
  if (again.full !== target.full)
    throw new ToolError("tool_denied", `${shown(target.path)} has become a link since the plan was made.`);
}

async function modeOf(full: string): Promise<number> {
  try {
    return (await stat(full)).mode & 0o777;
  } catch {
    // A new file gets the default mode.
    return 0o666 & ~process.umask();
  }
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

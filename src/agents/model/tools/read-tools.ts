/** Read-only tools: list, search and read. They never leave the session's directory, not through links either. */
import * as z from "zod";
import { listFiles, type FileList } from "../../tools/list-files.ts";
import { createTextReader } from "../../tools/text-reader.ts";
import { matchesGlob } from "../../tools/glob-match.ts";
import { resolvePath, shown, type ResolvedPath } from "./resolve-path.ts";
import { readTextFile } from "./read-text.ts";
import { searchFiles } from "./search-files.ts";
import { defineTool, ToolError, type Subject, type ToolContext } from "./tool.ts";

const READ_MS_MAX = 30_000;
const LISTED_MAX = 500;
const LINES_DEFAULT = 400;
const LINES_MAX = 5_000;

const glob = z.string().describe("Only files whose path, relative to the working directory, matches, e.g. src/**/*.ts");

export const listTool = defineTool({
  name: "list",
  description:
    "List the files in the working directory that git does not ignore. Links, node_modules and the like are omitted.",
  args: z.object({
    path: z.string().optional().describe("Directory, relative to the working directory; default: all of it"),
    glob: glob.optional(),
  }),
  kind: "search",
  gate: "free",
  isParallel: true,
  deadlineMs: READ_MS_MAX,
  title: ({ path = ".", glob }) => `List ${shown(path)}${glob === undefined ? "" : ` (${shown(glob)})`}`,
  plan: async (args, context) => {
    const under = await resolvePath(context.root, args.path ?? ".");
    return {
      subject: asSubject(under),
      run: async () => ({ text: describeFiles(await filesOf(context), under.path, args.glob) }),
    };
  },
});

export const searchTool = defineTool({
  name: "search",
  description:
    "Find lines in the text files that list returns: path, line number, line. Long lines are truncated with ….",
  args: z.object({
    text: z.string().min(1).max(1_000).describe("Literal text, or a POSIX extended regular expression"),
    regex: z.boolean().optional().describe("Treat text as a regular expression; git repositories only"),
    ignore_case: z.boolean().optional(),
    glob: glob.optional(),
  }),
  kind: "search",
  gate: "free",
  isParallel: true,
  deadlineMs: READ_MS_MAX,
  title: ({ text }) => `Search for ${shown(text)}`,
  plan: (args, context) => ({
    subject: { kind: "path", text: "." },
    run: async () => {
      const files = await filesOf(context);
      const like = files.paths.filter((path) => isLike(path, args.glob));
      const wanted = like.filter((path) => context.mayRead(path));
      const result = await searchFiles(wanted, {
        root: context.root,
        text: args.text,
        isRegex: args.regex ?? false,
        ignoresCase: args.ignore_case ?? false,
        signal: context.signal,
        marker: context.setup.marker,
      });
      const heldBack = like.length - wanted.length;
      const held =
        heldBack === 0 ? [] : [`(Hidden by a user rule: ${heldBack === 1 ? "1 file" : `${heldBack} files`}.)`];
      return { text: [result, ...held, ...listRemarks(files)].join("\n") };
    },
  }),
});

export const readTool = defineTool({
  name: "read",
  description: `Read a text file in the working directory, by default ${LINES_DEFAULT} lines at a time.`,
  args: z.object({
    path: z.string(),
    from_line: z.int().positive().optional().describe("First line, starting at 1"),
    lines: z.int().positive().max(LINES_MAX).optional(),
  }),
  kind: "read",
  gate: "free",
  isParallel: true,
  deadlineMs: READ_MS_MAX,
  title: ({ path }) => `Read ${shown(path)}`,
  plan: async ({ path, from_line = 1, lines = LINES_DEFAULT }, { root }) => {
    const target = await resolvePath(root, path);
    const run = async () => {
      const { text } = await readTextFile(root, target);
      return { text: linesOf(target, text, { from: from_line, count: lines }) };
    };
    return { subject: asSubject(target), run };
  },
});

function linesOf(target: ResolvedPath, text: string, { from, count }: { from: number; count: number }): string {
  const name = shown(target.path);
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  if (all.length === 0) return `${name} is empty.`;
  if (from > all.length) throw new ToolError("tool_error", `${name} has only ${all.length} lines.`);
  const last = Math.min(all.length, from - 1 + count);
  const isWhole = from === 1 && last === all.length;
  const head = isWhole ? "" : `(lines ${from} to ${last} of ${all.length} of ${name})\n`;
  return head + all.slice(from - 1, last).join("\n");
}

function describeFiles(files: FileList, under: string, glob: string | undefined): string {
  const wanted = files.paths.filter((path) => isUnder(path, under) && isLike(path, glob));
  const rest = wanted.length - LISTED_MAX;
  const more = rest > 0 ? [`… and ${rest} more; narrow it with path or glob.`] : [];
  const names = wanted.length === 0 ? ["No files."] : wanted.slice(0, LISTED_MAX).map(shown);
  return [...names, ...more, ...listRemarks(files)].join("\n");
}

/** Why files of the session's directory are missing from the list. */
function listRemarks({ paths, isCut, unreadableDirectories }: FileList): string[] {
  const directories = unreadableDirectories === 1 ? "1 directory" : `${unreadableDirectories} directories`;
  return [
    ...(isCut ? [`(There are more files: only the first ${paths.length} are read.)`] : []),
    ...(unreadableDirectories === 0 ? [] : [`(${directories} cannot be read.)`]),
  ];
}

function asSubject({ path }: ResolvedPath): Subject {
  return { kind: "path", text: path === "" ? "." : path };
}

function filesOf({ root, signal, setup }: ToolContext) {
  return listFiles(root, { signal, reader: createTextReader(root), marker: setup.marker });
}

function isUnder(path: string, directory: string): boolean {
  return directory === "" || path === directory || path.startsWith(`${directory}/`);
}

/** A pattern without a slash matches file names in any directory. */
function isLike(path: string, pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  const plain = pattern.replace(/^\.?\//, "");
  return matchesGlob(plain.includes("/") ? plain.split("/") : ["**", plain], path.split("/"));
}

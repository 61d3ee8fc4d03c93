/** What the routes say about a session's folder: its changes, its files, and what members did with them. */
import * as z from "zod";
import { FileChange } from "./values.ts";

const count = z.int().nonnegative();
const members = z.array(z.string());

export const ChangedFile = z.object({
  /** Relative to the session's folder, with `/`. */
  path: z.string(),
  /** Of a renamed file. */
  oldPath: z.string().optional(),
  status: FileChange.shape.status,
  /** Absent for a file that is not text or too large to compare. */
  added: count.optional(),
  removed: count.optional(),
  members: members.meta({ description: "Members that reported a change to this file." }),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

export const WorkspaceChanges = z.object({
  repository: z.boolean().meta({ description: "False when the folder is in no git repository." }),
  files: z.array(ChangedFile),
  truncated: z.boolean().meta({ description: "True when there are more files, or comparing took too long." }),
});
export type WorkspaceChanges = z.infer<typeof WorkspaceChanges>;

export const FilePatch = z.object({
  path: z.string(),
  patch: z.string().meta({ description: "A unified diff; empty for a file that is not text." }),
  isWhole: z.boolean().meta({ description: "Whether the hunks also contain the unchanged lines of the file." }),
  isBinary: z.boolean(),
  truncated: z.boolean().meta({ description: "True when the end is missing." }),
});
export type FilePatch = z.infer<typeof FilePatch>;

const TouchedFile = z.object({
  path: z.string(),
  members: z.array(z.object({ name: z.string(), reads: count, edits: count })),
});
export type TouchedFile = z.infer<typeof TouchedFile>;

const TurnChanges = z.object({
  turnId: z.string(),
  member: z.string(),
  ts: z.number(),
  files: z.array(ChangedFile.omit({ members: true })),
});
export type TurnChanges = z.infer<typeof TurnChanges>;

export const TouchedFiles = z.object({
  files: z.array(TouchedFile).meta({ description: "By path." }),
  turns: z.array(TurnChanges).meta({ description: "Turns that reported changes, latest first." }),
  truncated: z.boolean(),
});
export type TouchedFiles = z.infer<typeof TouchedFiles>;

export const FileTree = z.object({
  directory: z.string(),
  entries: z.array(z.object({ name: z.string(), kind: z.enum(["file", "directory", "link"]) })),
  truncated: z.boolean(),
});
export type FileTree = z.infer<typeof FileTree>;

export const NamedFiles = z.object({
  paths: z
    .array(z.string())
    .meta({ description: "The requested paths that name a file, in full or by the end of its path." }),
});
export type NamedFiles = z.infer<typeof NamedFiles>;

export const WorkspaceFile = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), path: z.string(), text: z.string() }),
  z.object({ kind: z.literal("binary"), path: z.string() }),
  z.object({ kind: z.literal("large"), path: z.string(), bytes: count, bytesMax: count }),
  z.object({ kind: z.literal("other"), path: z.string(), why: z.string() }),
  z.object({
    kind: z.literal("missing"),
    path: z.string(),
    candidates: z.array(z.string()).meta({ description: "Files whose path ends with this one." }),
  }),
]);
export type WorkspaceFile = z.infer<typeof WorkspaceFile>;

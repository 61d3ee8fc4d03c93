/** Missions and standing prompts of a data directory, in one small file. Unreadable content is ignored. */
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { readOwnFile } from "../../kit/files/own-file.ts";

const FILE_NAME = "missions.json";
const TEXT_CHARS_MAX = 32 * 1024;
const MEMBERS_MAX = 64;
/** Beyond this the oldest ended missions are dropped. */
export const MISSIONS_MAX = 1_000;
export const OVERRIDES_MAX = 1_000;
/** Node's timers overflow beyond this and would fire at once. */
const INTERVAL_SECS_MAX = 2_000_000;

export const IdleMember = z.object({
  name: z.string().min(1).max(64),
  prompt: z.string().max(TEXT_CHARS_MAX).nullable(),
  intervalSecs: z.number().positive().max(INTERVAL_SECS_MAX).nullable(),
});
export type IdleMember = z.infer<typeof IdleMember>;

export const Mission = z.object({
  directory: z.string(),
  /** The wire it was set through; undefined when it may reach every session. */
  scope: z.string().optional(),
  text: z.string().max(TEXT_CHARS_MAX),
  createdTs: z.number(),
  isActive: z.boolean(),
  members: z.array(IdleMember).max(MEMBERS_MAX),
});
export type Mission = z.infer<typeof Mission>;

const Override = IdleMember.extend({ directory: z.string(), scope: z.string().optional() });
export type Override = z.infer<typeof Override>;

const FileContents = z.object({
  missions: z.array(Mission).max(MISSIONS_MAX),
  overrides: z.array(Override).max(OVERRIDES_MAX),
});
export type MissionFileContents = z.infer<typeof FileContents>;

export interface MissionFile {
  readonly contents: MissionFileContents;
  /** Resolves when it is durable. */
  change(contents: MissionFileContents): Promise<void>;
}

export async function openMissionFile(dataDir: string): Promise<MissionFile> {
  const path = join(dataDir, FILE_NAME);
  let contents = await readContents(path);
  let writing: Promise<void> = Promise.resolve();
  return {
    get contents() {
      return contents;
    },
    change(next) {
      contents = next;
      const write = () => writeFileAtomic(path, `${JSON.stringify(contents)}\n`);
      writing = writing.then(write, write);
      return writing;
    },
  };
}

async function readContents(path: string): Promise<MissionFileContents> {
  try {
    return FileContents.parse(JSON.parse(readOwnFile(path)));
  } catch {
    // Missing at first. A damaged file must not make members work on unreadable prompts.
    return { missions: [], overrides: [] };
  }
}

/** Contents of a project: files, one directory at a time, and the skills found there and at home. */
import { readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import { readBeginning } from "../../../src/kit/files/read-beginning.ts";
import { RoundtableError } from "../../../src/protocol/index.ts";
import * as linggen from "../format/linggen.ts";

const ENTRIES_MAX = 5_000;
const SKILLS_MAX = 500;
const SKILL_BYTES_MAX = 256 * 1024;
const SKILL_DIRECTORIES = [".claude/skills", ".codex/skills", ".agents/skills", ".linggen/skills"];

export interface ListedFile {
  readonly name: string;
  readonly isDir: boolean;
  /** Relative to the project. */
  readonly path: string;
}

/** Directories first. Rejects for a path out of the project, also through a link. */
export async function listProjectFiles(root: string, path: string): Promise<ListedFile[]> {
  if (isAbsolute(path) || path.split(/[/\\]/).includes("..") || path.includes("\0")) throw notInProjectError();
  const whole = await realpath(root).catch(missing);
  const directory = await realpath(join(whole, path)).catch(missing);
  if (!isWithin(whole, directory)) throw notInProjectError();
  const entries = await readdir(directory, { withFileTypes: true }).catch(missing);
  return entries
    .map((entry) => ({ name: entry.name, isDir: entry.isDirectory(), path: join(path, entry.name) }))
    .toSorted((a, b) => Number(b.isDir) - Number(a.isDir) || (a.name < b.name ? -1 : 1))
    .slice(0, ENTRIES_MAX);
}

/** A project's skill overrides one of the same name at home. */
export async function findSkills(root: string): Promise<linggen.Skill[]> {
  const skills = new Map<string, linggen.Skill>();
  const home = homedir();
  for (const directory of root === home ? [] : SKILL_DIRECTORIES)
    await readSkills(join(root, directory), { type: "Project" }, skills);
  for (const directory of SKILL_DIRECTORIES) {
    const label = directory.slice(1, directory.indexOf("/"));
    await readSkills(join(home, directory), { type: "Compat", label }, skills);
  }
  return [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function readSkills(directory: string, source: linggen.SkillSource, skills: Map<string, linggen.Skill>) {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (skills.size >= SKILLS_MAX) return;
    const file = entry.name.endsWith(".md") ? entry.name : join(entry.name, "SKILL.md");
    const text = await readSkill(directory, file);
    const skill = text === undefined ? undefined : linggen.readSkill(text, source);
    if (skill !== undefined && !skills.has(skill.name)) skills.set(skill.name, skill);
  }
}

/** Undefined for anything but a file of acceptable size inside the project. */
async function readSkill(directory: string, file: string): Promise<string | undefined> {
  try {
    const whole = await realpath(join(directory, file));
    if (!isWithin(await realpath(directory), whole)) return undefined;
    const { bytes, isWhole } = await readBeginning(whole, SKILL_BYTES_MAX);
    return isWhole ? new TextDecoder().decode(bytes) : undefined;
  } catch {
    // Unreadable, so no skill.
    return undefined;
  }
}

function isWithin(root: string, target: string): boolean {
  const way = relative(root, target);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function notInProjectError(): RoundtableError {
  return new RoundtableError("bad_command", "path must be inside the project.");
}

function missing(): never {
  throw new RoundtableError("unknown_session", "Directory not found.");
}

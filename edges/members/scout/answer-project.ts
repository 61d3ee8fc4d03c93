/** Answers "what is this project" and "how do I run the tests" from the project's own files. */
import { type EmbeddedTurn, printable } from "../../../src/agents/index.ts";
import { listFilesTool, readFileTool, type Workspace } from "../search/file-tools.ts";
import { cutLine } from "../search/excerpt.ts";
import { counted, fenced, inlineCode, reference } from "../markdown.ts";
import {
  FACT_FILES,
  firstParagraph,
  makeTargets,
  manifestFacts,
  packageFacts,
  readmeSections,
  type PackageFacts,
  type ProjectCommand,
  type ReadmeSection,
} from "./project-facts.ts";
import { chooseCommands, sectionsAbout } from "./project-commands.ts";
import type { Question } from "../search/question.ts";
import { formatList, plural } from "../../../src/kit/text/format.ts";

export interface Project {
  paths: readonly string[];
  readme: { path: string; sections: readonly ReadmeSection[] } | undefined;
  manifests: readonly (PackageFacts & { path: string })[];
  commands: readonly ProjectCommand[];
}

const HEADINGS_MAX = 14;
const DIRECTORIES_MAX = 14;
const COMMANDS_MAX = 12;
const SECTION_LINES_MAX = 16;
const PARAGRAPH_CHARS_MAX = 700;

/** Returns the number of files with facts; 0 means that a search may do better. */
export async function answerOverview(turn: EmbeddedTurn, workspace: Workspace): Promise<number> {
  await turn.write("Reading the project's own description.\n\n");
  const project = await readProject(turn, workspace);
  await turn.write(describe(project) ?? "**No README or manifest describes this project.**\n\n");
  await turn.write(tree(project.paths));
  await turn.write(writeHeadings(project));
  if (project.commands.length > 0) await turn.write(`Commands:\n\n${writeCommands(project.commands)}\n`);
  await turn.smallPrint();
  return project.manifests.length + (project.readme === undefined ? 0 : 1);
}

/** What its README and manifest say it is, and where they say it; undefined when neither does. */
export function describe(project: Project): string | undefined {
  const manifest = project.manifests.find((one) => one.name !== "");
  const name = manifest?.name ?? project.readme?.sections.find((one) => one.title !== "")?.title ?? "";
  const paragraph = project.readme === undefined ? undefined : firstParagraph(project.readme.sections);
  const about = [manifest?.description ?? "", paragraph?.text ?? ""].filter((text) => text !== "").join("\n\n");
  if (name === "" && about === "") return undefined;
  const title = cutLine(name === "" ? "This project" : name);
  return `**${title}**: ${cutText(about || "no description given")}\n\n${sources(project, paragraph?.line)}`;
}

/** False when no command fits; the caller then searches. */
export async function answerCommands(turn: EmbeddedTurn, workspace: Workspace, question: Question): Promise<boolean> {
  await turn.write("Reading the project's commands.\n\n");
  const project = await readProject(turn, workspace);
  const commands = chooseCommands(project.commands, question.text);
  const sections = project.readme === undefined ? [] : sectionsAbout(project.readme.sections, question.text);
  const [best] = commands;
  if (best === undefined && sections.length === 0) return false;
  if (best !== undefined) {
    await turn.write(`**${inlineCode(best.run)}** (${reference(best.path, best.line)})\n\n`);
    await turn.write(`${writeCommands(commands)}\n`);
  }
  for (const section of sections) {
    const body = section.body.slice(0, SECTION_LINES_MAX).map(cutLine);
    const path = project.readme?.path ?? "";
    await turn.write(
      `${reference(path, section.line)}\n\n${fenced([`${"#".repeat(section.level)} ${cutLine(section.title)}`, ...trimEnd(body)], path)}\n`,
    );
  }
  await turn.smallPrint(`Read ${formatList(factPaths(project).map((path) => inlineCode(path)))}`);
  return true;
}

export async function readProject(turn: EmbeddedTurn, workspace: Workspace): Promise<Project> {
  const { paths } = await listFilesTool(turn, workspace);
  const top = paths.filter((path) => FACT_FILES.includes(path.toLowerCase()));
  const files = await Promise.all(top.map((path) => readWhole(turn, workspace, path)));
  const runner = runnerOf(paths);
  const manifests: (PackageFacts & { path: string })[] = [];
  const commands: ProjectCommand[] = [];
  let readme: Project["readme"];
  for (const { path, text } of files) {
    const lower = path.toLowerCase();
    if (lower.startsWith("readme") && readme === undefined) readme = { path, sections: readmeSections(text) };
    if (/^(?:gnumakefile|makefile|justfile)$/.test(lower)) {
      for (const target of makeTargets(path, text)) commands.push(target);
    }
    const facts = lower === "package.json" ? packageFacts(path, text, runner) : manifestFacts(path, text);
    if (facts === undefined) continue;
    manifests.push({ ...facts, path });
    for (const command of facts.commands) commands.push(command);
  }
  return { paths, readme, manifests, commands };
}

async function readWhole(
  turn: EmbeddedTurn,
  workspace: Workspace,
  path: string,
): Promise<{ path: string; text: string }> {
  try {
    const cut = (text: string) => ({ text, shown: text.split("\n").slice(0, 12).map(cutLine).join("\n") });
    return { path, text: (await readFileTool(turn, workspace, { path, cut })).text };
  } catch {
    // The tool call reports the error; the other files may be enough.
    turn.signal.throwIfAborted();
    return { path, text: "" };
  }
}

/** By the lock file next to package.json. */
function runnerOf(paths: readonly string[]): string {
  if (paths.includes("pnpm-lock.yaml")) return "pnpm";
  if (paths.includes("yarn.lock")) return "yarn";
  return paths.includes("bun.lock") || paths.includes("bun.lockb") ? "bun run" : "npm";
}

function factPaths(project: Project): string[] {
  const all = [
    project.readme?.path ?? "",
    ...project.manifests.map((one) => one.path),
    ...project.commands.map((one) => one.path),
  ];
  return [...new Set(all)].filter((path) => path !== "");
}

function sources(project: Project, readmeLine: number | undefined): string {
  const readmeRefs = project.readme === undefined ? [] : [reference(project.readme.path, readmeLine ?? 1)];
  const manifests = project.manifests.map((one) => reference(one.path));
  const all = [...readmeRefs, ...manifests];
  return all.length === 0 ? "" : `From ${formatList(all)}.\n\n`;
}

function tree(paths: readonly string[]): string {
  if (paths.length === 0) return "There are no files here.\n\n";
  const byTop = Map.groupBy(paths, (path) => (path.includes("/") ? `${path.slice(0, path.indexOf("/"))}/` : "."));
  const rows = [...byTop]
    .map(([directory, inside]) => ({ directory, inside }))
    .sort((a, b) => b.inside.length - a.inside.length || (a.directory < b.directory ? -1 : 1));
  const shown = rows.slice(0, DIRECTORIES_MAX).map(({ directory, inside }) => {
    const name = directory === "." ? "top level" : reference(directory);
    return `- ${name}: ${counted(inside.length, "file")}${mostly(inside)}`;
  });
  const left = rows.length - shown.length;
  const more = left > 0 ? `\n- … and ${plural(left, "more directory", "more directories")}` : "";
  return `${counted(paths.length, "file")}:\n\n${shown.join("\n")}${more}\n\n`;
}

function mostly(paths: readonly string[]): string {
  const extensions = Map.groupBy(paths, (path) => /\.([A-Za-z0-9]+)$/.exec(path)?.[1] ?? "");
  const [best] = [...extensions].sort(([, a], [, b]) => b.length - a.length);
  if (best === undefined || best[0] === "" || best[1].length * 2 < paths.length || paths.length < 2) return "";
  return `, mostly .${best[0]}`;
}

function writeHeadings({ readme }: Project): string {
  const titled = readme?.sections.filter((section) => section.title !== "" && section.level <= 3) ?? [];
  if (readme === undefined || titled.length < 2) return "";
  const shown = titled.slice(0, HEADINGS_MAX);
  const lines = shown.map((one) => `- ${cutLine(one.title)} (${reference(readme.path, one.line)})`);
  const left = titled.length - shown.length;
  return `The README covers:\n\n${lines.join("\n")}${left > 0 ? `\n- … and ${left} more` : ""}\n\n`;
}

function writeCommands(commands: readonly ProjectCommand[]): string {
  const shown = commands.slice(0, COMMANDS_MAX);
  const lines = shown.map((one) => {
    const does = one.does === "" ? "" : `: ${inlineCode(cutLine(one.does))}`;
    return `- ${inlineCode(one.run)}${does} (${reference(one.path, one.line)})`;
  });
  const left = commands.length - shown.length;
  if (left > 0) lines.push(`- … and ${left} more`);
  return `${lines.join("\n")}\n`;
}

function cutText(text: string): string {
  const shown = printable(text).trim();
  return shown.length > PARAGRAPH_CHARS_MAX ? `${shown.slice(0, PARAGRAPH_CHARS_MAX)} …` : shown;
}

function trimEnd(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

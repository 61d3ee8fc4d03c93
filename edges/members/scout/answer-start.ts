/** Answers "where do I start reading?": what it is, how to build it, its entry point, its most used file, its tests. */
import { withEllipsis } from "../../../src/kit/text/format.ts";
import { type EmbeddedTurn, printableLine } from "../../../src/agents/index.ts";
import { describe, readProject, type Project } from "./answer-project.ts";
import { readFileTool, type Workspace } from "../search/file-tools.ts";
import type { Question } from "../search/question.ts";
import { counted, inlineCode, reference } from "../markdown.ts";
import { chooseCommands } from "./project-commands.ts";
import { firstParagraph } from "./project-facts.ts";
import {
  codeMapLine,
  documentAboutCode,
  entryLine,
  entryPoint,
  isImporting,
  mostImported,
  type MostImported,
} from "./entry-points.ts";

const SENTENCE_CHARS_MAX = 120;
/** In a larger project the first files by name are enough to find the most used one. */
const IMPORTING_MAX = 3_000;
const COUNTING_MS_MAX = 3_000;
const CONCURRENCY = 12;

interface Step {
  location: string;
  why: string;
}

export async function answerStart(
  turn: EmbeddedTurn,
  workspace: Workspace,
  { alsoOverview }: Pick<Question, "alsoOverview">,
): Promise<void> {
  const project = await readProject(turn, workspace);
  const description = alsoOverview ? describe(project) : undefined;
  if (description !== undefined) await turn.write(description);
  const document = documentAboutCode(project.paths);
  const entry = entryPoint(
    project.paths,
    project.manifests.flatMap((one) => one.entries),
  );
  const steps = [
    aboutStep(project),
    document === undefined ? undefined : await documentStep(turn, workspace, document),
    entry === undefined ? undefined : await entryStep(turn, workspace, entry),
    mostImportedStep(await findMostImported(turn, workspace, project.paths), entry),
    testStep(project),
  ].filter((step) => step !== undefined);
  const [first, second] = steps;
  if (first === undefined) {
    await turn.write(
      "**I found no description, manifest or entry point here.** Ask *what is this project* for a list of its folders.\n\n",
    );
    return;
  }
  await turn.write(`**Start with ${first.location}${second === undefined ? "" : `, then ${second.location}`}.**\n\n`);
  await turn.write(`${steps.map(({ location, why }, index) => `${index + 1}. ${location}: ${why}`).join("\n")}\n\n`);
  await turn.smallPrint();
}

function aboutStep({ readme, manifests }: Project): Step | undefined {
  const paragraph = readme === undefined ? undefined : firstParagraph(readme.sections);
  const manifest = manifests.find((one) => one.description !== "");
  const about = paragraph?.text ?? manifest?.description;
  const path = paragraph === undefined ? manifest?.path : readme?.path;
  if (about === undefined || path === undefined) return undefined;
  const sentence = /^.*?[.!?](?=\**(?:\s|$))/.exec(about)?.[0] ?? about;
  const plain = printableLine(sentence).replaceAll("**", "").trim();
  return { location: reference(path, paragraph?.line), why: withEllipsis(plain, SENTENCE_CHARS_MAX) };
}

async function documentStep(turn: EmbeddedTurn, workspace: Workspace, path: string): Promise<Step | undefined> {
  const text = await read(turn, workspace, path);
  if (text === undefined) return undefined;
  const lines = counted(text.trimEnd().split("\n").length, "line");
  return { location: reference(path, codeMapLine(text)), why: `how the code is laid out (${lines})` };
}

async function entryStep(turn: EmbeddedTurn, workspace: Workspace, path: string): Promise<Step | undefined> {
  const text = await read(turn, workspace, path);
  return text === undefined
    ? undefined
    : { location: reference(path, entryLine(path, text)), why: "the program's entry point" };
}

function mostImportedStep(mostUsed: MostImported | undefined, entry: string | undefined): Step | undefined {
  if (mostUsed === undefined || mostUsed.path === entry) return undefined;
  return {
    location: reference(mostUsed.path),
    why: `the most imported file, used by ${counted(mostUsed.importers, "file")}`,
  };
}

function testStep({ commands, paths }: Project): Step | undefined {
  const [command] = chooseCommands(commands, "test");
  const tests = paths.filter((path) => /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[^/]+$/i.test(path));
  if (command === undefined) return undefined;
  const count = tests.length === 0 ? "" : ` (${counted(tests.length, "file")})`;
  return {
    location: `${inlineCode(command.run)} (${reference(command.path, command.line)})`,
    why: `runs the tests${count}`,
  };
}

/** Undefined when it cannot be read; the tool call says why. */
async function read(turn: EmbeddedTurn, workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return (
      await readFileTool(turn, workspace, { path, cut: (text) => ({ text, shown: text.split("\n", 1)[0] ?? "" }) })
    ).text;
  } catch {
    turn.signal.throwIfAborted();
    return undefined;
  }
}

function findMostImported(
  turn: EmbeddedTurn,
  workspace: Workspace,
  paths: readonly string[],
): Promise<MostImported | undefined> {
  const sources = paths.filter(isImporting).slice(0, IMPORTING_MAX);
  if (sources.length < 3) return Promise.resolve(undefined);
  const call = {
    name: "count_imports",
    args: { files: sources.length },
    title: `Count the imports in ${counted(sources.length, "file")}`,
    kind: "search" as const,
  };
  return turn.tool(call, async () => {
    const texts = await readAll(turn, workspace, sources);
    const value = mostImported(texts);
    const result = value === undefined ? "No file is imported by several others." : `${value.path}: ${value.importers}`;
    return { value, result };
  });
}

async function readAll(
  turn: EmbeddedTurn,
  workspace: Workspace,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const untilMs = turn.clock.monotonic() + COUNTING_MS_MAX;
  const left = paths.values();
  const work = async () => {
    for (const path of left) {
      turn.signal.throwIfAborted();
      if (turn.clock.monotonic() > untilMs) return;
      const file = await workspace.reader.read(path);
      if (file.kind === "text") texts.set(path, file.text);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return texts;
}

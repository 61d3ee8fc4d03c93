/** Facts about a project from its README, package.json, Makefile and similar files. Pure. */

export interface ProjectCommand {
  /** What to type. */
  run: string;
  /** Its name in the file, or its purpose. */
  name: string;
  /** Its description in the file. */
  does: string;
  path: string;
  line: number;
}

export interface ReadmeSection {
  title: string;
  level: number;
  line: number;
  body: readonly string[];
}

/** Files to read in the top directory, case-insensitive. */
export const FACT_FILES = [
  "readme.md",
  "readme",
  "readme.rst",
  "readme.txt",
  "package.json",
  "makefile",
  "gnumakefile",
  "justfile",
  "cargo.toml",
  "pyproject.toml",
  "go.mod",
  "contributing.md",
];

export interface PackageFacts {
  name: string;
  description: string;
  commands: readonly ProjectCommand[];
  /** Entry points that it declares; often build output. */
  entries: readonly string[];
}

/** An unreadable package.json is skipped. */
export function packageFacts(path: string, text: string, runner: string): PackageFacts | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(parsed)) return undefined;
  const scripts = isRecord(parsed["scripts"]) ? parsed["scripts"] : {};
  const from = lineOf(text, /"scripts"\s*:/);
  const commands = Object.entries(scripts).flatMap(([name, does]) => {
    if (typeof does !== "string") return [];
    const short = runner === "npm" && name !== "test" && name !== "start" ? "npm run" : runner;
    const line = lineOf(text, new RegExp(`"${escapeRegExp(name)}"\\s*:`), from);
    return [{ run: `${short} ${name}`, name, does, path, line }];
  });
  return {
    name: textOf(parsed["name"]),
    description: textOf(parsed["description"]),
    commands,
    entries: [parsed["bin"], parsed["main"], parsed["module"], parsed["exports"]].flatMap(filesIn),
  };
}

/** File names at any depth of `exports`. */
function filesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return isRecord(value) ? Object.values(value).flatMap(filesIn) : [];
}

export function makeTargets(path: string, text: string): ProjectCommand[] {
  const program = /justfile$/i.test(path) ? "just" : "make";
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const name = /^([A-Za-z][\w-]*)(?: [^:=]*)?:(?!=)/.exec(line)?.[1];
    if (name === undefined) return [];
    const recipe = lines[index + 1] ?? "";
    const does = /^\s+\S/.test(recipe) ? recipe.trim().replace(/^@/, "") : "";
    return [{ run: `${program} ${name}`, name, does, path, line: index + 1 }];
  });
}

/** Name and description from the `[package]` or `[project]` table; the usual commands of the tool beside it. */
export function manifestFacts(path: string, text: string): PackageFacts | undefined {
  const file = path.toLowerCase();
  if (file === "go.mod") {
    const name = /^module\s+(\S+)/m.exec(text)?.[1] ?? "";
    return { name, description: "", commands: usual(path, GO_COMMANDS), entries: [] };
  }
  if (file !== "cargo.toml" && file !== "pyproject.toml") return undefined;
  const table = /^\[(?:package|project|tool\.poetry)\]\s*\n((?:(?!\[)[^\n]*\n?)*)/m.exec(text)?.[1] ?? "";
  const field = (key: string) => new RegExp(`^${key}\\s*=\\s*["']([^"'\\n]*)["']`, "m").exec(table)?.[1] ?? "";
  const commands = file === "cargo.toml" ? CARGO_COMMANDS : /pytest/.test(text) ? PYTEST_COMMANDS : PYTHON_COMMANDS;
  return { name: field("name"), description: field("description"), commands: usual(path, commands), entries: [] };
}

const CARGO_COMMANDS = ["cargo test", "cargo build", "cargo run"];
const GO_COMMANDS = ["go test ./...", "go build ./...", "go run ."];
const PYTHON_COMMANDS = ["pip install -e .", "python -m unittest"];
const PYTEST_COMMANDS = ["pip install -e .", "pytest"];

function usual(path: string, commands: readonly string[]): ProjectCommand[] {
  const tests = (run: string) => (run === "pytest" || run.endsWith("unittest") ? "test" : (run.split(" ")[1] ?? run));
  return commands.map((run) => ({ run, name: tests(run), does: `usual for a project with ${path}`, path, line: 1 }));
}

export function readmeSections(text: string): ReadmeSection[] {
  const sections: { title: string; level: number; line: number; body: string[] }[] = [];
  let isCode = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? null : /^(#{1,4})\s+(.+?)\s*#*$/.exec(line);
    if (heading !== null) {
      sections.push({ title: heading[2] ?? "", level: (heading[1] ?? "").length, line: index + 1, body: [] });
    } else {
      if (sections.length === 0) sections.push({ title: "", level: 0, line: index + 1, body: [] });
      sections.at(-1)?.body.push(line);
    }
  }
  return sections;
}

/** The first paragraph that is no badge, image or licence. */
export function firstParagraph(sections: readonly ReadmeSection[]): { text: string; line: number } | undefined {
  for (const section of sections) {
    const start = section.body.findIndex((line) => /^[\p{L}\p{N}*_"“`]/u.test(line.trim()) && !/^\s*[-*+] /.test(line));
    if (start === -1) continue;
    const rest = section.body.slice(start);
    const end = rest.findIndex((line) => line.trim() === "" || /^\s*(?:```|~~~)/.test(line));
    const text = (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim()).join(" ");
    return { text, line: section.line + start + (section.level === 0 ? 0 : 1) };
  }
  return undefined;
}

function lineOf(text: string, pattern: RegExp, fromLine = 1): number {
  const lines = text.split("\n");
  const at = lines.findIndex((line, index) => index + 1 >= fromLine && pattern.test(line));
  return at === -1 ? fromLine : at + 1;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

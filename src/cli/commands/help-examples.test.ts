import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createProgram } from "../args.ts";
import { everyCommand, loadAllCommands } from "./command.ts";

/** Arguments of the program in a shell line, without comments. */
function argsOf(line: string): string[] | undefined {
  const called = /(?:^|[|&] *|\s)roundtable (.*)$/.exec(line.replace(/\s+#.*$/, ""))?.[1];
  const args = called?.match(/(?:'[^']*'|"[^"]*"|[^\s'"|>&]+)+|[|>&]+/g) ?? [];
  const end = args.findIndex((word) => /^[|>&]/.test(word));
  const own = end === -1 ? args : args.slice(0, end);
  return called === undefined ? undefined : own.map((word) => word.replaceAll(/['"]/g, ""));
}

/** Parses the arguments without running the command. */
async function verdictOn(args: readonly string[]): Promise<string> {
  const program = createProgram("0", () => {});
  await loadAllCommands(program);
  for (const command of everyCommand(program)) command.action(() => {});
  let verdict = "";
  program.action((text: string[], { print }: { print?: unknown }) => {
    if (text.length > 0 && print === undefined) verdict = "no such command";
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return verdict;
  } catch (error) {
    return (error as Error).message;
  }
}

async function examplesOfHelp(): Promise<string[]> {
  let text = "";
  const program = createProgram("0", () => {});
  await loadAllCommands(program);
  for (const command of everyCommand(program)) {
    command.configureOutput({ writeOut: (said) => (text += said) });
    command.outputHelp();
  }
  return [...text.matchAll(/^ {2}\$ (.*roundtable .*)$/gm)].map(([, line = ""]) => line);
}

/** Command lines in fenced code. */
function examplesOf(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const fences = [...text.matchAll(/^```(?:sh|[0-9]*)?\n([\s\S]*?)^```$/gm)].map(([, inside = ""]) => inside);
  return fences.flatMap((fence) =>
    fence.split("\n").flatMap((line) => {
      const typed = /^(?:\$ )?((?:[\w=…]+ [^|]*\| *|[A-Z_]+=\S+ )?roundtable .*)$/.exec(line)?.[1];
      return typed === undefined || typed.includes("[") ? [] : [typed];
    }),
  );
}

async function wrongAmong(lines: readonly string[]): Promise<string[]> {
  const verdicts = await Promise.all(lines.map(async (line) => [line, await verdictOn(argsOf(line) ?? [])] as const));
  return verdicts.filter(([, verdict]) => verdict !== "").map(([line, verdict]) => `${line}: ${verdict}`);
}

test("every example in every help text is a valid command line", async () => {
  const lines = await examplesOfHelp();
  expect(lines.length).toBeGreaterThan(60);
  expect(await wrongAmong(lines)).toEqual([]);
});

test("every command shown in the docs is a valid command line", async () => {
  const pages = globSync(["README.md", "docs/*.md", "edges/*/docs/*.md"]);
  const lines = pages.flatMap((page) => examplesOf(page));
  expect(lines.length).toBeGreaterThan(20);
  expect(await wrongAmong(lines)).toEqual([]);
});

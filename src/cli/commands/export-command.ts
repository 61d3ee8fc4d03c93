/** Sessions as files: for people, for programs, for sprout. */
import { Option } from "commander";
import type { CommonFlags } from "../flags.ts";
import { directoryExporters, exporters } from "../edges.ts";
import type { CommandGroup } from "./command-group.ts";
import { examples } from "./help-texts.ts";

export interface ExportFlags extends CommonFlags {
  format?: string;
  output?: string;
  /** True without words. */
  redact?: string[] | true;
  all?: boolean;
  force?: boolean;
}

export function addExportCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const out = program
    .command("export")
    .description("write sessions as Markdown, as one HTML file, as JSON lines, or as sprout's session files")
    .argument("[id...]", "sessions, by id, its beginning or title; with --format sprout and no -o, first the directory")
    .addOption(
      new Option("-f, --format <format>", "markdown unless the name after -o says otherwise").choices(
        [...exporters, ...directoryExporters].map(({ name }) => name),
      ),
    )
    .option("-o, --output <file>", "a file, or a directory for several sessions; standard output when absent")
    .option("--redact [words...]", "take out keys, tokens, home paths, the user's name, and these words; after the ids")
    .option("--all", "every session")
    .option("--force", "replace files that are there");
  addCommonOptions(out);
  out.addHelpText(
    "after",
    examples([
      "roundtable export 01JD > session.md",
      "roundtable export 01JD -o session.html",
      "roundtable export 01JD -o session.jsonl && roundtable import session.jsonl --data-dir /elsewhere",
      "roundtable export --all --format html -o ~/sessions/",
      "roundtable export 01JD -o public.html --redact Acme 'Project X'",
      "roundtable export --format sprout ~/.local/share/sprout-genome/projects/-home-me-app 01JD",
    ]),
  );
  out.action(async (ids: string[], flags: ExportFlags) =>
    run(flags, async (all) => (await import("./export.ts")).exportSessions(ids, all)),
  );
}

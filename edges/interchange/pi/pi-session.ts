/**
 * Parses session files of Pi (`sessions/--directory--/<time>_<id>.jsonl`) as an external session. Pure: the caller
 * reads the file. The newest branch is the conversation; others are mentioned.
 */
import {
  forksOf,
  lastBranch,
  notice,
  titleFrom,
  withDamage,
  type ExternalSession,
  type SourceFile,
} from "../../../src/host/index.ts";
import { fieldsOf, nonBlankText } from "../../../src/kit/fields.ts";
import { promptOf } from "./contents.ts";
import { entriesOf, headerOf, type PiEntry } from "./entries.ts";
import { Importer } from "./importer.ts";

export { entriesOf, headerOf, selectEntry } from "./entries.ts";

/** Undefined when it is not a session of Pi or has no messages. */
export function readSession(file: SourceFile, { member }: { member: string }): ExternalSession | undefined {
  const header = file.lines.map(({ value }) => headerOf(value)).find((one) => one !== undefined);
  if (header === undefined) return undefined;
  const entries = entriesOf(file.lines);
  const { path, left, isBroken } = lastBranch(entries);
  const importer = new Importer({ member, origin: `pi:${header.id}` });
  const forks = forksOf(
    path,
    left.filter(({ type }) => type === "message"),
  );
  for (const entry of path) {
    const messages = forks.get(entry);
    if (messages !== undefined) importer.builder.noteRewind(entry, messages);
    importer.handle(entry);
  }
  importer.builder.endTurn();
  const after = forks.get(undefined);
  if (after !== undefined) importer.builder.noteRewind(undefined, after);
  const startedMs = header.ts ?? path[0]?.ts ?? 0;
  const endMs = importer.builder.units.at(-1)?.drafts.at(-1)?.ts ?? startedMs;
  const lost = `Entries of ${file.name} refer to earlier ones that are missing; they were read in file order.`;
  if (importer.builder.units.length === 0) return undefined;
  return {
    nativeId: header.id,
    title: titleOf(entries) ?? header.id,
    ...(header.cwd === undefined ? {} : { cwd: header.cwd }),
    startedMs,
    agent: { kind: "pi" },
    units: [
      ...withDamage(importer.builder.units, file, startedMs),
      ...(isBroken ? [notice(Infinity, endMs, lost)] : []),
    ],
  };
}

/** Its name, else the beginning of its first message. */
export function titleOf(entries: readonly Pick<PiEntry, "type" | "fields">[]): string | undefined {
  const named = entries.findLast(
    ({ type, fields }) => type === "session_info" && nonBlankText(fields["name"]) !== undefined,
  );
  const first = entries
    .map(({ fields }) => fieldsOf(fields["message"]))
    .find((message) => message?.["role"] === "user");
  return titleFrom(nonBlankText(named?.fields["name"]) ?? promptOf(first?.["content"]).text) || undefined;
}

/** Markdown for commits: text from the repository is shown as code or without formatting characters. */
import { cutLine } from "../search/excerpt.ts";
import { counted, fenced, inlineCode } from "../markdown.ts";
import { printableLine } from "../../../src/agents/index.ts";
import type { Commit } from "./git/log-records.ts";
import type { DiffExcerpt, PatchFile } from "./git/patch.ts";
import { peopleOf } from "./rank-commits.ts";
import { formatList, withEllipsis } from "../../../src/kit/text/format.ts";

const SUBJECT_CHARS_MAX = 120;
const AUTHOR_CHARS_MAX = 40;
const BODY_LINES_MAX = 8;
const PEOPLE_MAX = 5;
const FILES_MAX = 8;

const TRAILER = /^(?:[A-Z][A-Za-z-]+-by|Change-Id|Reviewed-on|Cc|Fixes|Closes|Refs?|PiperOrigin-RevId): /;

export function commitId(commit: Pick<Commit, "short">): string {
  return inlineCode(commit.short);
}

/** `abc1234` 2024-03-01 Ada: `Take the lock at open` */
export function commitLine(commit: Commit): string {
  return `${commitId(commit)} ${commit.date} ${person(commit.author)}: ${subjectOf(commit)}`;
}

export function subjectOf(commit: Pick<Commit, "subject">): string {
  const { subject } = commit;
  return inlineCode(withEllipsis(subject, SUBJECT_CHARS_MAX));
}

/** Without characters that would format, link or mention. */
export function person(name: string): string {
  const bare = printableLine(name.slice(0, AUTHOR_CHARS_MAX)).replace(/[`*<>[\]\\|~@#!]/g, "");
  return bare.trim() === "" ? "someone" : bare.trim();
}

/** The commit message without sign-offs. */
export function bodyBlock(commit: Commit): string {
  const all = commit.body.split("\n").filter((line) => !TRAILER.test(line));
  while (all.length > 0 && (all.at(-1) ?? "").trim() === "") all.pop();
  if (all.length === 0) return "";
  const shown = all.slice(0, BODY_LINES_MAX).map(cutLine);
  if (all.length > shown.length) shown.push("…");
  return `${fenced(shown, "message.text")}\n`;
}

export function diffBlock(excerpt: DiffExcerpt): string {
  return `in ${inlineCode(excerpt.path)}\n\n${fenced(excerpt.lines.map(cutLine), "change.diff")}\n`;
}

export function peopleLine(commits: readonly Commit[]): string {
  const people = peopleOf(commits);
  const [only, ...others] = people;
  if (only !== undefined && others.length === 0) return person(only.name);
  const shown = people.slice(0, PEOPLE_MAX).map((one) => `${person(one.name)} (${one.commits})`);
  const left = people.length - shown.length;
  return formatList(left > 0 ? [...shown, counted(left, "other")] : shown);
}

export function filesLine(files: readonly PatchFile[]): string {
  if (files.length === 0) return "";
  const shown = files.slice(0, FILES_MAX).map((file) => {
    const change = file.change === "changed" ? "" : `${file.change} `;
    return `${inlineCode(file.path)} (${change}+${file.added} −${file.removed})`;
  });
  const left = files.length - shown.length;
  return `${counted(files.length, "file")}: ${formatList(left > 0 ? [...shown, `${left} more`] : shown)}.\n\n`;
}

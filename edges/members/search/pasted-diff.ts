/** A diff that was pasted or piped into a question stands for the files it changes: its own lines are no words to look for. */

const CHANGED = /^diff --git (?:.+ b\/(.+)|\S+ (?:[a-z]\/)?(\S+))$/;
const OF_A_DIFF =
  /^(?:[ +\-\\]|diff --git |index [0-9a-f]|@@ |(?:old|new|deleted file|new file) mode |similarity |rename |copy |Binary files |<\/?stdin>$)/;
/** Words that say only that there is one. */
const ABOUT_DIFFS: ReadonlySet<string> = new Set(["change", "changes", "diff", "patch", "review"]);

export interface WithoutDiff {
  readonly text: string;
  /** False for a word that every question about a diff has. */
  readonly isSubject: (word: string) => boolean;
}

export function withoutDiff(raw: string): WithoutDiff {
  const start = /^diff --git /m.exec(raw)?.index;
  if (start === undefined) return { text: raw, isSubject: () => true };
  const lines = raw.slice(start).split(/\r?\n/);
  const files = new Set(lines.flatMap((line) => CHANGED.exec(line)?.slice(1).filter(Boolean) ?? []));
  const before = raw.slice(0, start).replace(/<stdin>\s*$/, "");
  const after = lines
    .filter((line) => !OF_A_DIFF.test(line))
    .join("\n")
    .trim();
  return { text: [before, after, ...files].join("\n"), isSubject: (word) => !ABOUT_DIFFS.has(word) };
}

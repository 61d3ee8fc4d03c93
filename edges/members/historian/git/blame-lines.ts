/** Reads what `git blame --porcelain` prints: each line of a file with the commit that wrote it. */

export interface BlamedLine {
  line: number;
  text: string;
  by: BlamedCommit;
}

export interface BlamedCommit {
  hash: string;
  author: string;
  date: string;
  subject: string;
  /** True at the start of the history, or at the boundary of a shallow clone. */
  isBoundary: boolean;
}

const HEADER = /^([0-9a-f]{40,64}) \d+ (\d+)/;

export function parseBlame(output: string): BlamedLine[] {
  const commits = new Map<string, Map<string, string>>();
  const lines: { line: number; text: string; hash: string }[] = [];
  let hash = "";
  let line = 0;
  for (const row of output.split("\n")) {
    if (row.startsWith("\t")) {
      lines.push({ line, text: row.slice(1).replace(/\r$/, ""), hash });
      continue;
    }
    const header = HEADER.exec(row);
    if (header !== null) {
      [, hash = ""] = header;
      line = Number(header[2]);
      if (!commits.has(hash)) commits.set(hash, new Map());
      continue;
    }
    const space = row.indexOf(" ");
    commits.get(hash)?.set(space === -1 ? row : row.slice(0, space), space === -1 ? "" : row.slice(space + 1));
  }
  return lines.map((one) => ({ line: one.line, text: one.text, by: toCommit(one.hash, commits.get(one.hash)) }));
}

function toCommit(hash: string, facts: ReadonlyMap<string, string> | undefined): BlamedCommit {
  return {
    hash,
    author: facts?.get("author") ?? "",
    date: dayOf(facts?.get("author-time") ?? "", facts?.get("author-tz") ?? ""),
    subject: facts?.get("summary") ?? "",
    isBoundary: facts?.has("boundary") ?? false,
  };
}

/** Date in the author's time zone, as in `git log`. */
function dayOf(seconds: string, zone: string): string {
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === "-" ? -60 : 60) * (60 * Number(hours) + Number(minutes));
  const at = new Date(1_000 * (Number(seconds) + offset));
  return Number.isNaN(at.getTime()) ? "" : at.toISOString().slice(0, 10);
}

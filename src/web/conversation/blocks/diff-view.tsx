/** A diff, line by line; signs repeat what colours say. */
import { memo, useState } from "react";
import { inPlainSight } from "../../format/plain-sight.ts";

const HEADER = /^(?:diff |index |--- |\+\+\+ |new file|deleted file|rename )/;

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

const LINES_SHOWN_MAX = 500;

export const DiffView = memo(function DiffView({ diff, label = "Change" }: { diff: string; label?: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = diffLines(diff);
  const shown = isWhole ? lines : lines.slice(0, LINES_SHOWN_MAX);
  return (
    <div className="diff-frame">
      <pre className="diff" tabIndex={0} role="group" aria-label={label}>
        {shown.map(({ kind, text, oldNumber, newNumber }, at) => (
          <span key={at} className={`line ${kind}`}>
            <span className="number" data-number={oldNumber ?? ""} />
            <span className="number" data-number={newNumber ?? ""} />
            <span className="line-text">{`${inPlainSight(text)}\n`}</span>
          </span>
        ))}
      </pre>
      {lines.length > shown.length ? (
        <button type="button" className="btn sm quiet" onClick={() => setWhole(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      ) : null}
    </div>
  );
});

/** Lines of a unified diff with their old and new numbers. */
type DiffLineKind = "added" | "removed" | "kept" | "hunk" | "file";

interface DiffLine {
  readonly kind: DiffLineKind;
  readonly text: string;
  readonly oldNumber?: number;
  readonly newNumber?: number;
}

export function diffLines(diff: string): DiffLine[] {
  const position = { oldNumber: 0, newNumber: 0, isInHunk: false };
  return diff
    .trimEnd()
    .split("\n")
    .map((text) => lineOf(text, position));
}

function lineOf(text: string, position: { oldNumber: number; newNumber: number; isInHunk: boolean }): DiffLine {
  const hunk = HUNK.exec(text);
  if (hunk !== null) {
    Object.assign(position, { isInHunk: true, oldNumber: Number(hunk[1]), newNumber: Number(hunk[2]) });
    return { kind: "hunk", text };
  }
  if (HEADER.test(text) && !isContent(text, position.isInHunk)) return { kind: "file", text };
  const kind = text.startsWith("+") ? "added" : text.startsWith("-") ? "removed" : "kept";
  if (!position.isInHunk) return { kind, text };
  if (kind === "added") return { kind, text, newNumber: position.newNumber++ };
  if (kind === "removed") return { kind, text, oldNumber: position.oldNumber++ };
  return { kind, text, oldNumber: position.oldNumber++, newNumber: position.newNumber++ };
}

/** Inside a hunk a line of dashes may be a removed line; only the header of the next file is not. */
function isContent(text: string, isInHunk: boolean): boolean {
  return (
    isInHunk && /^(?:--- |\+\+\+ )/.test(text) && !/^(?:--- (?:a\/|\/dev\/null)|\+\+\+ (?:b\/|\/dev\/null))/.test(text)
  );
}

export function diffCounts(diff: string): { readonly added: number; readonly removed: number } {
  const lines = diffLines(diff);
  const count = (kind: DiffLineKind) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

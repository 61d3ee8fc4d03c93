/** One line of code: highlighted runs, with marked words inside them. */
import type { HighlightedLines } from "../highlight/highlight.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import type { Span } from "./diff-rows.ts";

type Line = HighlightedLines[number];

interface CodeLineProps {
  readonly text: string;
  /** Undefined until it is highlighted. */
  readonly line?: Line | undefined;
  readonly marks?: readonly Span[];
}

const NO_MARKS: readonly Span[] = [];

export function CodeLine({ text, line, marks = NO_MARKS }: CodeLineProps) {
  // A line that was highlighted as another one would show the wrong text.
  const runs: Line = line?.map(([run]) => run).join("") === text ? line : [[text, ""]];
  let at = 0;
  return runs.map(([run, kind], index) => {
    const from = at;
    at += run.length;
    const content = marks.length === 0 ? inPlainSight(run) : marked(run, from, marks);
    if (kind === "") return <span key={index}>{content}</span>;
    return (
      <span key={index} className={`hl-${kind}`}>
        {content}
      </span>
    );
  });
}

function marked(run: string, from: number, marks: readonly Span[]) {
  const ends = [0, run.length, ...marks.flat().map((end) => Math.min(Math.max(0, end - from), run.length))];
  const cuts = [...new Set(ends)].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((cut, index) => {
    const text = inPlainSight(run.slice(cut, cuts[index + 1]));
    const isMarked = marks.some(([start, end]) => start <= from + cut && from + cut < end);
    return isMarked ? <mark key={cut}>{text}</mark> : text;
  });
}

/** A change, line by line; signs say what colours repeat. */
import { memo, useState } from "react";
import { inPlainSight } from "../../format/plain-sight.ts";
import { diffLines } from "./diff-lines.ts";

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
        <button type="button" className="quiet" onClick={() => setWhole(true)}>
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      ) : null}
    </div>
  );
});

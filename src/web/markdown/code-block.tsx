/** Code that stands by itself: plain while it is written, coloured when it is whole. */
import { memo, useEffect, useState } from "react";
import { languageLabel } from "./code-frame.ts";
import { highlight, knownHighlight, type HighlightedLines } from "./highlight.ts";

export interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  readonly isClosed: boolean;
}

export const CodeBlock = memo(function CodeBlock({ code, language, isClosed }: CodeBlockProps) {
  const lines = useHighlight({ code, language, isClosed });
  return (
    <div className="code block">
      <div className="code-bar">
        <span className="code-language">{languageLabel(language)}</span>
        <button type="button" className="copy">
          Copy
        </button>
      </div>
      <pre tabIndex={0}>
        <code>{lines === undefined ? code : <Lines lines={lines} />}</code>
      </pre>
    </div>
  );
});

function Lines({ lines }: { lines: HighlightedLines }) {
  return lines.map((line, at) => (
    <span key={at}>
      {line.map(([text, kind], run) =>
        kind === "" ? (
          text
        ) : (
          <span key={run} className={`hl-${kind}`}>
            {text}
          </span>
        ),
      )}
      {at < lines.length - 1 ? "\n" : ""}
    </span>
  ));
}

function useHighlight({ code, language, isClosed }: CodeBlockProps): HighlightedLines | undefined {
  const [highlighted, setHighlighted] = useState<{ code: string; lines: HighlightedLines | undefined }>();
  useEffect(() => {
    if (!isClosed) return undefined;
    let isGone = false;
    void highlight(code, language).then((lines) => {
      if (!isGone) setHighlighted({ code, lines });
    });
    return () => {
      isGone = true;
    };
  }, [code, language, isClosed]);
  if (!isClosed) return undefined;
  return highlighted?.code === code ? highlighted.lines : knownHighlight(code, language);
}

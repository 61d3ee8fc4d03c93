/** A text in Markdown, also while it grows: only the part that is still open is drawn again. */
import { memo, useLayoutEffect, useRef, useState } from "react";
import type { Links } from "../../kit/text/markdown-blocks.ts";
import { inOrder } from "../format/plain-sight.ts";
import { CodeBlock } from "./code-block.tsx";
import { colourNested } from "./colour-nested.ts";
import { renderMarkup } from "./render-markup.ts";
import { createPartSplitter, type Part, type Parts } from "./split-parts.ts";

/** A longer text is shown as it was written. */
const MARKDOWN_CHARS_MAX = 512 * 1024;

interface MarkdownProps {
  readonly text: string;
  /** More of it is to come. */
  readonly isOpen?: boolean;
}

export const Markdown = memo(function Markdown({ text, isOpen = false }: MarkdownProps) {
  const [splitter] = useState(createPartSplitter);
  // Empty lines at either end are how models breathe, not what they say.
  const shown = inOrder(text.replace(/^\n+/, "").trimEnd());
  if (shown.length > MARKDOWN_CHARS_MAX) {
    return (
      <div className="markdown plain" dir="auto">
        {shown}
      </div>
    );
  }
  const { groups, links } = splitter.update(shown, { isOpen });
  return (
    <div className="markdown" dir="auto">
      {groups.map((parts, at) => (
        <Group key={at} parts={parts} links={links} />
      ))}
    </div>
  );
});

const Group = memo(function Group({ parts, links }: { parts: Parts["groups"][number]; links: Links }) {
  return parts.map((part, at) => <OnePart key={at} part={part} links={links} />);
});

function OnePart({ part, links }: { part: Part; links: Links }) {
  if (part.kind === "code") return <CodeBlock code={part.code} language={part.language} isClosed={part.isClosed} />;
  return <Markup source={part.source} links={links} />;
}

const Markup = memo(function Markup({ source, links }: { source: string; links: Links }) {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (container.current === null) return undefined;
    container.current.replaceChildren(renderMarkup(source, links));
    return colourNested(container.current);
  }, [source, links]);
  return <div className="block" ref={container} />;
});

/** Markdown as nodes. It may still grow: only its open part renders again. */
import { memo, type SyntheticEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Links } from "../../kit/text/markdown-blocks.ts";
import { inOrder } from "../format/plain-sight.ts";
import { highlight, knownHighlight, type HighlightedLines } from "../highlight/highlight.ts";
import { useStore } from "../store/use-store.ts";
import { languageLabel } from "./code-frame.ts";
import { knownFiles } from "./file-references.ts";
import { linkFiles } from "./link-files.ts";
import { foldDetails, type Fold } from "../../kit/text/fold-details.ts";
import { loadMath, renderMarkup } from "./render-markup.ts";
import { createPartSplitter, type Part, type Parts } from "./split-blocks.ts";

/** Debounce: code in a growing list would be highlighted again with every word. */
const QUIET_MS = 200;

/** Longer text is shown as written. */
const MARKDOWN_CHARS_MAX = 512 * 1024;

export interface MarkdownProps {
  readonly text: string;
  /** More text may follow. */
  readonly isOpen?: boolean;
}

export const RichMarkdown = memo(function RichMarkdown({ text, isOpen = false }: MarkdownProps) {
  const store = useStore();
  const [splitter] = useState(createPartSplitter);
  // Models often add blank lines at either end.
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
    <div
      className="markdown"
      dir="auto"
      onClick={openReference}
      onKeyDown={(event) => (event.key === "Enter" ? openReference(event) : undefined)}
    >
      {/<details/i.test(shown) ? (
        <Folds items={foldDetails(groups.flat())} links={links} />
      ) : (
        groups.map((parts, at) => <Group key={at} parts={parts} links={links} />)
      )}
    </div>
  );

  function openReference({ target }: SyntheticEvent): void {
    const { path, line } = target instanceof HTMLElement ? target.dataset : {};
    if (path !== undefined) store.openFile(path, line === undefined ? undefined : Number(line));
  }
});

const Group = memo(function Group({ parts, links }: { parts: Parts["groups"][number]; links: Links }) {
  return parts.map((part, at) => <OnePart key={at} part={part} links={links} />);
});

function Folds({ items, links }: { items: readonly (Part | Fold<Part>)[]; links: Links }) {
  return items.map((item, at) =>
    item.kind === "fold" ? (
      <details key={at} className="md-fold block" open={item.isOpen}>
        <summary>{item.summary}</summary>
        <Folds items={item.items} links={links} />
      </details>
    ) : (
      <OnePart key={at} part={item} links={links} />
    ),
  );
}

function OnePart({ part, links }: { part: Part; links: Links }) {
  if (part.kind === "code") return <CodeBlock code={part.code} language={part.language} isClosed={part.isClosed} />;
  return <Markup source={part.source} links={links} />;
}

const Markup = memo(function Markup({ source, links }: { source: string; links: Links }) {
  const store = useStore();
  const container = useRef<HTMLDivElement>(null);
  const [canDraw, setCanDraw] = useState(false);
  useLayoutEffect(() => {
    if (container.current === null) return undefined;
    container.current.replaceChildren(renderMarkup(source, links));
    void loadMath(container.current)?.then(() => setCanDraw(true));
    const stopFiles = linkFiles(container.current, knownFiles(store));
    const stopColours = colourNested(container.current);
    return () => {
      stopFiles();
      stopColours();
    };
    // oxlint-disable-next-line react/exhaustive-deps -- formulas are drawn in a second run.
  }, [source, links, store, canDraw]);
  return <div className="block" ref={container} />;
});

/** A top-level code block: plain while open, highlighted when complete. */
interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  readonly isClosed: boolean;
}

const CodeBlock = memo(function CodeBlock({ code, language, isClosed }: CodeBlockProps) {
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

/**
 * Highlights code inside lists and quotes after a pause. Returns the stop function, for when these nodes are replaced.
 */
function colourNested(root: HTMLElement): () => void {
  const blocks = [...root.querySelectorAll<HTMLElement>(".code[data-language] code")].map((element) => ({
    element,
    code: element.textContent ?? "",
    language: element.closest<HTMLElement>(".code")?.dataset["language"] ?? "",
  }));
  if (blocks.length === 0) return () => {};
  let isGone = false;
  for (const { element, code, language } of blocks) draw(element, knownHighlight(code, language));
  const timer = setTimeout(() => {
    for (const { element, code, language } of blocks) {
      void highlight(code, language).then((lines) => (isGone ? undefined : draw(element, lines)));
    }
  }, QUIET_MS);
  return () => {
    isGone = true;
    clearTimeout(timer);
  };
}

function draw(element: HTMLElement, lines: HighlightedLines | undefined): void {
  if (lines === undefined) return;
  const rows = lines.map((line, at) => {
    const row = document.createElement("span");
    for (const [text, kind] of line) row.append(kind === "" ? text : coloured(text, kind));
    if (at < lines.length - 1) row.append("\n");
    return row;
  });
  element.replaceChildren(...rows);
}

function coloured(text: string, kind: string): HTMLElement {
  const span = document.createElement("span");
  span.className = `hl-${kind}`;
  span.append(text);
  return span;
}

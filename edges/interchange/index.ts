/** Sessions of Claude Code, Codex and Pi in; Markdown, HTML and JSON lines out, and JSON lines in again. */
import type { Edge } from "../../src/edge/index.ts";

export const interchange: Edge = {
  name: "interchange",
  importers: [
    {
      name: "roundtable",
      label: "Roundtable",
      load: async () => (await import("./lines/importer.ts")).sessionLinesImporter,
    },
  ],
  sessionFormats: [
    { name: "claude", label: "Claude Code", load: async () => (await import("./claude/files.ts")).claudeFiles },
    { name: "codex", label: "Codex", load: async () => (await import("./codex/files.ts")).codexFiles },
    { name: "pi", label: "Pi", load: async () => (await import("./pi/files.ts")).piFiles },
  ],
  exporters: [
    {
      name: "markdown",
      label: "Markdown",
      endings: [".md"],
      contentType: "text/markdown; charset=utf-8",
      load: async () => (await import("./markdown/export-markdown.ts")).exportMarkdown,
    },
    {
      name: "html",
      label: "HTML",
      endings: [".html", ".htm"],
      contentType: "text/html; charset=utf-8",
      load: async () => (await import("./html/export-html.ts")).exportHtml,
    },
    {
      name: "jsonl",
      label: "JSON lines",
      endings: [".jsonl"],
      contentType: "application/x-ndjson; charset=utf-8",
      load: async () => (await import("./lines/export-lines.ts")).exportLines,
    },
  ],
};

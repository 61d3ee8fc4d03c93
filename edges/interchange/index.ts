/** Sessions of Claude Code, Codex and Pi in; Markdown, HTML and JSON lines out, and JSON lines in again. */
import type { Edge } from "../../src/edge/index.ts";

export const interchange: Edge = {
  name: "interchange",
  importers: [{ name: "roundtable", load: async () => (await import("./lines/importer.ts")).sessionLinesImporter }],
  sessionFormats: [
    { name: "claude", load: async () => (await import("./claude/files.ts")).claudeFiles },
    { name: "codex", load: async () => (await import("./codex/files.ts")).codexFiles },
    { name: "pi", load: async () => (await import("./pi/files.ts")).piFiles },
  ],
  exporters: [
    {
      name: "markdown",
      endings: [".md"],
      contentType: "text/markdown; charset=utf-8",
      load: async () => (await import("./markdown/export-markdown.ts")).exportMarkdown,
    },
    {
      name: "html",
      endings: [".html", ".htm"],
      contentType: "text/html; charset=utf-8",
      load: async () => (await import("./html/export-html.ts")).exportHtml,
    },
    {
      name: "jsonl",
      endings: [".jsonl"],
      contentType: "application/x-ndjson; charset=utf-8",
      load: async () => (await import("./lines/export-lines.ts")).exportLines,
    },
  ],
};

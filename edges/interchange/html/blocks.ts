/** The parts of a turn as HTML. */
import { isKnownEvent } from "../../../src/protocol/index.ts";
import { eventLine, type Block, type ToolBlock } from "../../../src/transcript/index.ts";
import { formatTruncation, formatRequest, toolParts, formatTool } from "../readable/format-session.ts";
import { escapeHtml } from "./escape.ts";
import { markupOf } from "./markup.ts";

export interface BlockContext {
  /** Author and text of a steered message. */
  readonly steeredBy: (messageId: string) => { readonly who: string; readonly text: string };
}

export function blockHtml(block: Block, { steeredBy }: BlockContext): string {
  switch (block.kind) {
    case "text":
      return block.text.trim() === "" ? "" : markupOf(block.text);
    case "thinking":
      return block.text.trim() === "" ? "" : fold("Thinking", [], markupOf(block.text));
    case "tool":
      return toolHtml(block);
    case "steering": {
      const { who, text } = steeredBy(block.messageId);
      return aside(`${who}, during this turn`, `<p>${escapeHtml(text)}</p>`);
    }
    case "request": {
      const { question, answer } = formatRequest(block);
      return aside("Asked", `<p>${escapeHtml(question)}</p><p><strong>Answer:</strong> ${escapeHtml(answer)}</p>`);
    }
    case "exchange": {
      const answer = block.answer === undefined ? "<p><em>no answer yet</em></p>" : markupOf(block.answer.text);
      return aside(`To ${block.to}`, markupOf(block.text)) + aside(`${block.to} answers`, answer);
    }
    case "subagent": {
      const outcome = block.outcome?.replaceAll("_", " ") ?? "not finished";
      const result = block.text === undefined ? "" : markupOf(block.text);
      return aside(`Subagent ${block.name} (${outcome})`, `<p>${escapeHtml(block.task)}</p>${result}`);
    }
    case "plan":
      return planHtml(block);
    case "changes":
      return changesHtml(block);
    case "finished":
      return aside("Finished", markupOf(block.summary));
    case "event":
      return noticeHtml(block.event, "fact");
    default:
      block satisfies never;
      return "";
  }
}

function fold(title: string, facts: readonly string[], body: string, className = ""): string {
  const more = facts.length === 0 ? "" : ` <span class="fact">${escapeHtml(facts.join(" · "))}</span>`;
  const kind = className === "" ? "" : ` class="${className}"`;
  return `<details${kind}><summary>${escapeHtml(title)}${more}</summary>\n${body}</details>\n`;
}

function aside(title: string, body: string): string {
  return `<div class="aside"><strong>${escapeHtml(title)}</strong>\n${body}</div>\n`;
}

function toolHtml(tool: ToolBlock): string {
  const { title, facts } = formatTool(tool);
  const parts = toolParts(tool).map(({ name, text, language }) => {
    const body = language === "diff" ? diffHtml(text) : `<pre><code>${escapeHtml(text)}</code></pre>`;
    return `<p class="label">${name}</p>\n${body}\n`;
  });
  const cut = formatTruncation(tool);
  const body = parts.join("") + (cut === undefined ? "" : `<p class="fact">${escapeHtml(cut)}</p>\n`);
  return fold(title, facts, body, tool.state === "error" ? "failed" : "");
}

const DIFF_MARKS: Readonly<Record<string, string>> = { "+": "plus", "-": "minus", "@": "hunk" };

function diffHtml(diff: string): string {
  const lines = diff.split("\n").map((line) => {
    const mark = DIFF_MARKS[line.charAt(0)];
    return mark === undefined ? escapeHtml(line) : `<span class="${mark}">${escapeHtml(line)}</span>`;
  });
  return `<pre><code>${lines.join("\n")}</code></pre>`;
}

function planHtml({ items, explanation, decision }: Extract<Block, { kind: "plan" }>): string {
  const signs = { completed: "☑", in_progress: "▸", pending: "☐" } as const;
  const rows = items.map(
    ({ text, status }) =>
      `<li>${signs[status]} <span${status === "completed" ? ' class="done"' : ""}>${escapeHtml(text)}</span></li>`,
  );
  const why = explanation === undefined ? "" : markupOf(explanation);
  const decided = decision === undefined ? "" : `<p class="fact">Plan: ${escapeHtml(decision)}</p>`;
  return aside("Plan", `${why}<ul class="plan">${rows.join("")}</ul>${decided}`);
}

function changesHtml({ files, truncatedCount }: Extract<Block, { kind: "changes" }>): string {
  const rows = files.map(({ path, status, added, removed, diff }) => {
    const facts = added === undefined && removed === undefined ? [] : [`+${added ?? 0} −${removed ?? 0}`];
    if (diff !== undefined && diff !== "") return fold(`${status} ${path}`, facts, diffHtml(diff));
    return `<p>${escapeHtml(status)} <code>${escapeHtml(path)}</code> <span class="fact">${escapeHtml(facts.join(""))}</span></p>\n`;
  });
  const more = truncatedCount === 0 ? "" : `<p class="fact">… and ${truncatedCount} more</p>`;
  return aside("Changed files", rows.join("") + more);
}

/** An event, in a turn or outside. */
export function noticeHtml(event: Parameters<typeof eventLine>[0], className: "notice" | "fact" = "notice"): string {
  if (isKnownEvent(event) && event.type === "minutes") {
    const by = event.by === undefined ? "assembled" : `by ${event.by}`;
    return `<article class="minutes"><header><h2>Minutes, ${escapeHtml(by)}</h2></header>\n${markupOf(event.text)}</article>\n`;
  }
  if (isKnownEvent(event) && event.type === "compaction") {
    const summary = event.summary.trim() === "" ? "<p>(no summary available)</p>" : markupOf(event.summary);
    // What an agent keeps of its own context is not known.
    const rest = event.native === true ? "" : `Kept in full: everything from event ${event.firstKeptSeq} on.`;
    return fold(eventLine(event), [], summary + (rest === "" ? "" : `<p class="fact">${rest}</p>\n`), "notice");
  }
  return `<p class="${className}">${escapeHtml(eventLine(event))}</p>\n`;
}

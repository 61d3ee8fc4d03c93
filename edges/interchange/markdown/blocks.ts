/** The parts of a turn as Markdown. */
import { isKnownEvent } from "../../../src/protocol/index.ts";
import { eventLine, type Block, type ToolBlock } from "../../../src/transcript/index.ts";
import { formatTruncation, formatRequest, toolParts, formatTool } from "../readable/format-session.ts";
import { coded, contained, fenced, folded, oneLine, plainLine, quoted } from "./safe-markdown.ts";

export interface BlockContext {
  /** Author and text of a steered message. */
  readonly steeredBy: (messageId: string) => { readonly who: string; readonly text: string };
}

export function blockMarkdown(block: Block, { steeredBy }: BlockContext): string[] {
  switch (block.kind) {
    case "text":
      return block.text.trim() === "" ? [] : [contained(block.text)];
    case "thinking":
      return block.text.trim() === "" ? [] : [folded("Thinking", quoted(contained(block.text)))];
    case "tool":
      return [toolMarkdown(block)];
    case "steering": {
      const { who, text } = steeredBy(block.messageId);
      return [quoted(`**${plainLine(who)}, during this turn:** ${plainLine(text)}`)];
    }
    case "request": {
      const { question, answer } = formatRequest(block);
      return [quoted(`**Asked:** ${plainLine(question)}\n\n**Answer:** ${plainLine(answer)}`)];
    }
    case "exchange":
      return [exchangeMarkdown(block)];
    case "subagent": {
      const result = block.text === undefined ? [] : [`Result:\n\n${contained(block.text)}`];
      const outcome = block.outcome?.replaceAll("_", " ") ?? "not finished";
      const head = `**Subagent ${plainLine(block.name)}** (${outcome}): ${plainLine(block.task)}`;
      return [quoted([head, ...result].join("\n\n"))];
    }
    case "plan": {
      const items = block.items.map(
        ({ text, status }) => `- [${status === "completed" ? "x" : " "}] ${plainLine(text)}`,
      );
      const why = block.explanation === undefined ? [] : [contained(block.explanation)];
      const decided = block.decision === undefined ? [] : [`Plan: ${block.decision}`];
      return [...why, items.join("\n"), ...decided].filter((part) => part !== "");
    }
    case "changes":
      return changesMarkdown(block);
    case "finished":
      return [`**Finished:**\n\n${contained(block.summary)}`];
    case "event":
      return [noticeMarkdown(block.event)];
    default:
      block satisfies never;
      return [];
  }
}

function toolMarkdown(tool: ToolBlock): string {
  const { title, facts } = formatTool(tool);
  const parts = toolParts(tool).flatMap(({ name, text, language }) => [`${name}:`, fenced(text, language)]);
  const cut = formatTruncation(tool);
  const body = [...parts, ...(cut === undefined ? [] : [cut])];
  return folded(`${title} · ${facts.join(" · ")}`, body.length === 0 ? "(nothing was shown)" : body.join("\n\n"));
}

function exchangeMarkdown({ to, text, answer }: Extract<Block, { kind: "exchange" }>): string {
  const question = `**To ${plainLine(to)}:**\n\n${contained(text)}`;
  const answerText = answer === undefined ? "*no answer yet*" : `**${plainLine(to)}:**\n\n${contained(answer.text)}`;
  return quoted(`${question}\n\n${answerText}`);
}

function changesMarkdown({ files, truncatedCount }: Extract<Block, { kind: "changes" }>): string[] {
  const lines = files.map(({ path, status, added, removed }) => {
    const counts = added === undefined && removed === undefined ? "" : ` (+${added ?? 0} −${removed ?? 0})`;
    return `- ${status} ${coded(path)}${counts}`;
  });
  const more = truncatedCount === 0 ? [] : [`- … and ${truncatedCount} more`];
  const diffs = files.flatMap(({ path, diff }) =>
    diff === undefined || diff === "" ? [] : [folded(`change of ${oneLine(path)}`, fenced(diff, "diff"))],
  );
  return [[...lines, ...more].join("\n"), ...diffs].filter((part) => part !== "");
}

/** An event, in a turn or outside. */
export function noticeMarkdown(event: Parameters<typeof eventLine>[0]): string {
  if (isKnownEvent(event) && event.type === "minutes") {
    const by = event.by === undefined ? "assembled" : `by ${plainLine(event.by)}`;
    return `## Minutes, ${by}\n\n${contained(event.text)}`;
  }
  if (isKnownEvent(event) && event.type === "compaction") {
    // What an agent keeps of its own context is not known.
    const rest = event.native === true ? [] : [`Kept in full: everything from event ${event.firstKeptSeq} on.`];
    const summary = event.summary.trim() === "" ? "(no summary available)" : quoted(contained(event.summary));
    return folded(oneLine(eventLine(event)), [summary, ...rest].join("\n\n"));
  }
  return quoted(plainLine(eventLine(event)));
}

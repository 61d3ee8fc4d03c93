/** Editor prompts as message text, and the commands among them that are for the session itself. */
import type { AvailableCommand, ContentBlock } from "@agentclientprotocol/sdk";
import { largest } from "../../../src/kit/largest.ts";

/** Undefined for a content type that was not offered. */
export function promptText(blocks: readonly ContentBlock[]): string | undefined {
  const parts = blocks.map(partText);
  return parts.some((part) => part === undefined) ? undefined : parts.join("");
}

function partText(block: ContentBlock): string | undefined {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `[${block.name}](${block.uri})`;
    case "resource":
      return "text" in block.resource ? `\n\n${fenced(block.resource.uri, block.resource.text)}\n\n` : undefined;
    default:
      return undefined;
  }
}

/** Longer than any run of backticks inside, so that no line of the file can close it. */
function fenced(uri: string, text: string): string {
  const longest = largest(
    text.matchAll(/`+/g).map(([marks]) => marks.length),
    2,
  );
  const fence = "`".repeat(longest + 1);
  return `${uri}\n${fence}\n${text}\n${fence}`;
}

export const roundtableCommands: readonly AvailableCommand[] = [
  { name: "members", description: "list the members" },
  { name: "mute", description: "stop a member from answering", input: { hint: "member" } },
  { name: "unmute", description: "let a member answer again", input: { hint: "member" } },
  { name: "round", description: "run another round of discussion, or several", input: { hint: "number of rounds" } },
  { name: "continue", description: "continue after a pause" },
  { name: "retry", description: "ask failed members again", input: { hint: "member" } },
  {
    name: "minutes",
    description: "write the minutes of the last discussion",
    input: { hint: "member that writes them" },
  },
  { name: "compact", description: "compact a member's context", input: { hint: "member" } },
  { name: "clear", description: "clear the members' context; the log keeps everything" },
];

export interface RoundtableCommand {
  readonly name: string;
  readonly argument: string;
}

/** A session command at the start of a message; other commands belong to members or are plain text. */
export function parseRoundtableCommand(text: string): RoundtableCommand | undefined {
  const [, name = "", argument = ""] = /^\/([a-z]+)(?:[ \t]+(\S+))?\s*$/.exec(text.trim()) ?? [];
  return roundtableCommands.some((command) => command.name === name) ? { name, argument } : undefined;
}

/**
 * The line that assistant's page adds before the user's text: its panel and the selection there.
 * Panels hide it. A line with only the panel is dropped; any other is part of the message.
 */

const CONTEXT_LINE = /^<context((?:\s+[a-z][a-z\d-]*="[^"\n]*")*)\s*\/>(?:\n|$)/i;
const ATTRIBUTE_NAME = /([a-z][a-z\d-]*)="/gi;
const OF_PANEL: ReadonlySet<string> = new Set(["panel-id", "panel-type", "panel-title"]);

/** For titles: the line says nothing about the topic. */
export function withoutContextLine(text: string): string {
  const [line = ""] = CONTEXT_LINE.exec(text) ?? [];
  return text.slice(line.length);
}

export function withoutPanelLine(text: string): string {
  const [line, attributes = ""] = CONTEXT_LINE.exec(text) ?? [];
  if (line === undefined) return text;
  const names = [...attributes.replaceAll(/"[^"]*"/g, '""').matchAll(ATTRIBUTE_NAME)].map(([, name = ""]) => name);
  return names.every((name) => OF_PANEL.has(name)) ? text.slice(line.length) : text;
}

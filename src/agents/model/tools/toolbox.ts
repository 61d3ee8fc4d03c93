/**
 * The tools a member is offered, out of several sources: those that look, those that change where the session is
 * writable, the table's own, and any other source (an MCP server, say) behind the same door.
 */
import type { HostToolName } from "../../../protocol/index.ts";
import type { ToolSchema } from "../requests/dialect.ts";
import { listTool, readTool, searchTool } from "./read-tools.ts";
import { createShellTool, type ShellOptions } from "./shell-tool.ts";
import { createSpawnTool } from "./spawn-tool.ts";
import { finishTool, createHostTools } from "./host-tools.ts";
import type { Tool } from "./tool.ts";
import { editTool, writeTool } from "./write-tools.ts";

/** Where tools come from. Asked before every model call, so a source that connects late is there when it is. */
export interface ToolSource {
  readonly name: string;
  readonly tools: () => readonly Tool[];
}

export interface ToolboxOptions {
  readonly isWritable: boolean;
  readonly hostTools?: readonly HostToolName[] | undefined;
  readonly sources?: readonly ToolSource[] | undefined;
  readonly shell: ShellOptions;
  /** How long a subagent may work; null where none can be sent any more. */
  readonly subagentMs: number | null;
}

export class Toolbox {
  readonly #own: readonly Tool[];
  /** Known, and not to be had in a session that is read-only. */
  readonly #withheld: readonly string[];
  readonly #sources: readonly ToolSource[];

  constructor({ isWritable, hostTools, sources = [], shell, subagentMs }: ToolboxOptions) {
    const changing = [writeTool, editTool, createShellTool(shell)];
    this.#own = [
      listTool,
      searchTool,
      readTool,
      ...(isWritable ? changing : []),
      ...createHostTools(hostTools),
      ...(subagentMs === null ? [] : [createSpawnTool(subagentMs)]),
      finishTool,
    ];
    this.#withheld = isWritable ? [] : changing.map((tool) => tool.name);
    this.#sources = sources;
  }

  /** A foreign tool never takes the name of one of ours, and is never free, whatever it says of itself. */
  tools(): readonly Tool[] {
    const all = new Map(this.#own.map((tool) => [tool.name, tool]));
    for (const tool of this.#sources.flatMap((source) => source.tools())) {
      if (!all.has(tool.name) && !this.isWithheld(tool.name)) all.set(tool.name, { ...tool, gate: "asks" });
    }
    return [...all.values()];
  }

  find(name: string): Tool | null {
    return this.tools().find((tool) => tool.name === name) ?? null;
  }

  isWithheld(name: string): boolean {
    return this.#withheld.includes(name);
  }

  schemas(): ToolSchema[] {
    return this.tools().map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    }));
  }
}

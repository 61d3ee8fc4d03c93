/** What can be imported, one entry a format: how to find it in a place, and how to make sessions of it. */
import type { AgentFactory } from "../../../agents/index.ts";
import type { SessionDefaults } from "../../../server/index.ts";
import { externalSessions } from "./external-sessions.ts";
import { sessionLines } from "./session-lines.ts";

export interface Importable {
  readonly format: string;
  /** What is handed to `run`, and printed. */
  readonly path: string;
  readonly name: string;
  readonly messages: number;
  /** What a person should know before it is imported. */
  readonly remark: string;
  /** Only a part was counted: there are more messages. */
  readonly isMore?: boolean;
  readonly updatedMs?: number;
  /** Where the conversation took place. */
  readonly cwd?: string;
}

export interface ImportResult {
  readonly sessionId: string;
  readonly isNew: boolean;
  readonly added: number;
  readonly warnings: readonly string[];
}

export interface ImportDeps {
  readonly dataDir: string;
  readonly defaults: SessionDefaults;
  readonly agentFactory: AgentFactory;
}

export interface ImportFormat {
  readonly name: string;
  /** Everything of this format in a file or directory; empty when it is something else. Reads only. */
  find(source: string): Promise<readonly Importable[]>;
  /** What belongs to a directory in which somebody stands, where that is more than what is in it. */
  findForDirectory?(cwd: string): Promise<readonly Importable[]>;
  /** What its program keeps on this machine: of one working directory, or all. */
  findStored?(cwd: string | undefined): Promise<readonly Importable[]>;
  /** The same source gives the same session, however often. */
  run(item: Importable, deps: ImportDeps): Promise<ImportResult>;
}

const kingdomThreads: ImportFormat = {
  name: "kingdom",
  find: (source) => findThreads(source, { includesParents: false }),
  findForDirectory: (cwd) => findThreads(cwd, { includesParents: true }),
  async run({ path }, { dataDir, defaults, agentFactory }) {
    const { importThread } = await import("../../../host/index.ts");
    const { cwd, settings, members } = defaults;
    // What is imported is not written back to where it came from.
    const { mirror: _, ...rest } = settings;
    return await importThread({ dataDir, threadDir: path, cwd, settings: rest, members, agentFactory });
  },
};

async function findThreads(source: string, options: { includesParents: boolean }): Promise<Importable[]> {
  const { listThreads } = await import("../../../host/index.ts");
  const threads = await listThreads(source, options);
  return threads.map(({ dir, id, branch, messages, members, isArchived, hasThreadFile }) => ({
    format: "kingdom",
    path: dir,
    name: `${branch}/${id}`,
    messages,
    remark: [
      members.join(","),
      ...(isArchived ? ["archived"] : []),
      ...(hasThreadFile ? [] : ["without thread.json"]),
    ].join(" · "),
  }));
}

export const importFormats: readonly ImportFormat[] = [kingdomThreads, sessionLines, ...externalSessions];

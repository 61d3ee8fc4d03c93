/**
 * What plugs into the core: one outside system, or one group of members. An edge is a small value that names what it
 * offers; the code behind each offer is loaded with `import()` when it is used, so that a start pays for none of it.
 */
import type { Command } from "commander";
import type { AgentFactory, EmbeddedMember } from "../agents/index.ts";
import type { Client, CreateRequest } from "../client/index.ts";
import type { Exporter, ExternalFormat, ExternalImportResult, LoadMirror, RedactOptions } from "../host/index.ts";
import type { ExitCode } from "../kit/exit-codes.ts";
import type { Failure } from "../kit/failure.ts";
import type { MemberSpec, SessionSummary, Settings } from "../protocol/index.ts";
import type { OpenCompatWire, SessionDefaults } from "../server/index.ts";

export interface Edge {
  readonly name: string;
  /** Declares commands of the command line. */
  readonly addCommands?: (commands: EdgeCommands) => void;
  /** Declares commands of the group `council`, which act on one session from scripts. */
  readonly addCouncilCommands?: (commands: EdgeCommands) => void;
  /** Routes for clients of another system. */
  readonly wire?: EdgeWire;
  /** Conversations of other programs that are one file each. */
  readonly sessionFormats?: readonly FormatOffer<ExternalFormat>[];
  /** Everything else that can be imported. */
  readonly importers?: readonly FormatOffer<Importer>[];
  readonly exporters?: readonly Exporter[];
  /** Formats that are several files in a directory. */
  readonly directoryExporters?: readonly FormatOffer<DirectoryExport>[];
  /** Files of another system beside sessions, in both directions. At most one edge has a mirror. */
  readonly mirror?: EdgeMirror;
  /** Members that run inside this process, in the order in which they join. */
  readonly members?: readonly Offer<EmbeddedMember>[];
}

export interface Offer<Part> {
  readonly name: string;
  readonly load: () => Promise<Part>;
}

export interface FormatOffer<Part> extends Offer<Part> {
  /** In help texts: "sessions of LABEL", or "as LABEL". */
  readonly label: string;
}

export interface EdgeWire {
  /** The name by which `serve --compat` switches it on. */
  readonly name: string;
  readonly load: () => Promise<OpenCompatWire>;
}

export interface EdgeMirror {
  /** Called when the settings of a session first have a mirror. */
  readonly load: LoadMirror;
  /** Offers it to the user when the terminal app starts. */
  readonly loadOffer?: () => Promise<OfferMirror>;
}

/** Does nothing in a directory where its system is not used. */
export type OfferMirror = (request: OfferRequest) => Promise<MirrorOffer>;

export interface OfferRequest {
  readonly dataDir: string;
  readonly cwd: string;
  /** `threads.mirror` of the configuration, which decides where it is set. */
  readonly configured: () => boolean | undefined;
  /** False when nobody is at a terminal. */
  readonly canAsk: boolean;
  /** A note on stderr, in one line. */
  readonly warn: (sentence: string) => void;
}

export interface MirrorOffer {
  /** For new sessions that do not set them. */
  readonly settings?: Pick<Settings, "mirror">;
  /** For the session that is opened next. */
  readonly onChosen?: (client: Client, sessionId: string) => Promise<void>;
}

export interface Importable {
  readonly format: string;
  /** Handed to `run`, and printed. */
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

export interface ImportDeps {
  readonly dataDir: string;
  readonly defaults: SessionDefaults;
  readonly agentFactory: AgentFactory;
}

export interface Importer {
  readonly name: string;
  /** Everything of this format in a file or directory; empty when it is something else. Reads only. */
  find(source: string): Promise<readonly Importable[]>;
  /** Of a working directory, where that is more than what is in it. */
  findForDirectory?(cwd: string): Promise<readonly Importable[]>;
  /** What its program stores on this machine: of one working directory, or all. */
  findStored?(cwd: string | undefined): Promise<readonly Importable[]>;
  /** The same source gives the same session, however often. */
  run(item: Importable, deps: ImportDeps): Promise<ExternalImportResult>;
}

export interface DirectoryExportOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly directory: string;
  readonly redact?: RedactOptions;
  /** Replaces files that are there. */
  readonly force?: boolean;
}

/** Resolves with the file that was written, and sentences about what was taken out. */
export type DirectoryExport = (
  options: DirectoryExportOptions,
) => Promise<{ readonly file: string; readonly report: readonly string[] }>;

export interface EdgeCommands {
  /** The program, or the group that gets the commands. */
  readonly parent: Command;
  /** -C, --data-dir, --color. */
  readonly addCommonOptions: (command: Command) => void;
  /** --config KEY=VALUE; what it sets is in effect for the context of the run. */
  readonly addConfigOption: (command: Command) => void;
  readonly addExamples: (command: Command, examples: readonly string[]) => void;
  /** Runs the command with its flags and those of the commands above it. */
  readonly run: <Flags extends object>(
    flags: Flags,
    work: (flags: Flags, context: CommandContext) => Promise<ExitCode>,
  ) => Promise<void>;
}

/** What a command of an edge gets of the command line. */
export interface CommandContext {
  /** Absolute; `openHost` creates it when it is missing. */
  readonly dataDir: string;
  readonly version: string;
  readonly stdout: CommandOutput;
  /** A note on stderr, in one line. */
  readonly warn: (...sentences: readonly (string | undefined)[]) => void;
  /** The first signal calls `stop`, the second ends the process. Call what is returned to stop listening. */
  readonly onStop: (stop: () => void) => () => void;
  /** An existing directory with links resolved: the given one, else that of -C, else the current one. */
  readonly workingDirectory: (given?: string) => string;
  /** A host in this process, without a port, and a client of it. */
  readonly openHost: () => Promise<{ readonly client: Client; close(): Promise<void> }>;
  /**
   * A client of the server of the data directory, which is started if needed, else of a host in this process. Undefined
   * when there is no data directory, so no session.
   */
  readonly connect: () => Promise<CommandConnection | undefined>;
  /**
   * By id, part of an id or title; else the newest of the working directory that is a candidate, if any. Throws a
   * Failure when the given one does not exist.
   */
  readonly findSession: (
    client: Client,
    given: string | undefined,
    isCandidate?: (session: SessionSummary) => boolean,
  ) => Promise<string | undefined>;
  /** To be thrown when a session is needed and there is none. */
  readonly noSession: (given: string | undefined) => Failure;
  /**
   * Members and settings of a new session, as configured for its directory. Throws a usage Failure for an unknown
   * model.
   */
  readonly createTemplate: (request: TemplateRequest) => Promise<SessionTemplate>;
}

export interface CommandConnection {
  readonly client: Client;
  /** The server keeps running after the command. */
  readonly isServer: boolean;
  close(): Promise<void>;
}

export interface CommandOutput {
  write(text: string): void;
  /** One line of JSON without characters that act on a terminal. */
  writeJson(value: object): void;
  /** Written, and still in this process because nobody reads it. */
  readonly unreadBytes: number;
  readonly error: Error | undefined;
  onError(listener: () => void): void;
  flush(): Promise<void>;
}

export interface TemplateRequest {
  readonly cwd: string;
  /** "provider:id": members by name (`roundtable:claude+codex`), a configured member, or an agent kind with a model. */
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly systemPrompt?: string | undefined;
}

export interface SessionTemplate extends CreateRequest {
  /** Every member that could join here. */
  readonly known: readonly MemberSpec[];
}

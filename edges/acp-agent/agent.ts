/** Agent side of the protocol: dispatches each request to its session. */
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
} from "@agentclientprotocol/sdk";
import type { Client, CreateRequest } from "../../src/client/index.ts";
import { isUlid } from "../../src/kit/ids.ts";
import { RoundtableError } from "../../src/protocol/index.ts";
import * as acpAgent from "./format/acp-agent.ts";
import { sessionDirectory } from "../../src/kit/files/session-directory.ts";
import { AcpSession } from "./session.ts";
import type { EditorAbilities } from "./ask-editor.ts";
import { plural } from "../../src/kit/text/format.ts";

const SESSIONS_MAX = 64;
const LISTED_AT_ONCE = 100;

export interface AcpAgentOptions {
  readonly client: Client;
  readonly version: string;
  readonly warn: (sentence: string) => void;
  readonly createTemplate: (cwd: string) => Promise<CreateRequest>;
}

export interface AcpAgent {
  readonly app: AgentApp;
  /** Interrupts the editor's running turns and closes its sessions. */
  readonly settle: () => Promise<void>;
}

export function createAcpAgent(options: AcpAgentOptions): AcpAgent {
  const reportError = (error: unknown) => options.warn(error instanceof Error ? error.message : String(error));
  const registry = new SessionRegistry({ ...options, onLost: reportError });
  const app = agent({ name: "roundtable" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      registry.abilities = { hasForms: (params.clientCapabilities?.elicitation?.form ?? null) !== null };
      return initialized(options.version);
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      warnOfServers(params.mcpServers.length, options.warn);
      const session = await registry.create(checkedDirectory(params.cwd), client);
      // A session's updates follow the response that names it.
      setImmediate(() => void session.begin({ isRecalled: false }).catch(reportError));
      return { sessionId: session.attached.sessionId, modes: acpAgent.modesOf(session.attached.head, session.mode) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      warnOfServers(params.mcpServers.length, options.warn);
      const session = await registry.attach(params.sessionId, { editor: client, isNew: false });
      await session.begin({ isRecalled: true });
      return { modes: acpAgent.modesOf(session.attached.head, session.mode) };
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      const session = await registry.attach(params.sessionId, { editor: client, isNew: false });
      await session.begin({ isRecalled: false });
      return { modes: acpAgent.modesOf(session.attached.head, session.mode) };
    })
    .onRequest(methods.agent.session.list, ({ params }) =>
      registry.list(params.cwd ?? undefined, params.cursor ?? undefined),
    )
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await registry.close(params.sessionId);
      return {};
    })
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      const session = registry.session(params.sessionId);
      const chosen = acpAgent.chosenMode(session.attached.head, params.modeId);
      if (chosen === undefined) throw RequestError.invalidParams({ modeId: params.modeId }, "there is no such mode");
      await asRequestError(session.setMode(chosen));
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params, signal }) => {
      const session = registry.session(params.sessionId);
      const text = acpAgent.promptText(params.prompt);
      if (text === undefined)
        throw RequestError.invalidParams(undefined, "only text, links and text resources are supported");
      if (text.trim() === "") throw RequestError.invalidParams(undefined, "the prompt is empty");
      signal.addEventListener("abort", () => void session.cancel().catch(reportError), { once: true });
      return await asRequestError(session.prompt(text));
    })
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await registry.find(params.sessionId)?.cancel();
    });
  return { app, settle: () => registry.settle() };
}

function initialized(version: string) {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "roundtable", title: "Roundtable", version },
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: false, audio: false, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
  };
}

interface RegistryOptions extends AcpAgentOptions {
  readonly onLost: (error: Error) => void;
}

class SessionRegistry {
  abilities: EditorAbilities = { hasForms: false };
  readonly #options: RegistryOptions;
  readonly #sessions = new Map<string, AcpSession>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  find(sessionId: string): AcpSession | undefined {
    return this.#sessions.get(sessionId);
  }

  session(sessionId: string): AcpSession {
    const session = this.find(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  async create(cwd: string, editor: AgentContext): Promise<AcpSession> {
    const { client, createTemplate } = this.#options;
    const { title, settings, members } = await asRequestError(createTemplate(cwd));
    const { sessionId } = await asRequestError(client.create({ cwd, title, settings, members }));
    return await this.attach(sessionId, { editor, isNew: true });
  }

  /** A session that is already open is closed and opened again: the editor wants to see it from the start. */
  async attach(sessionId: string, { editor, isNew }: { editor: AgentContext; isNew: boolean }): Promise<AcpSession> {
    const { client, onLost } = this.#options;
    if (!isNew && !(await this.#exists(sessionId))) throw RequestError.sessionNotFound(sessionId);
    await this.#sessions.get(sessionId)?.settle();
    this.#sessions.delete(sessionId);
    if (this.#sessions.size >= SESSIONS_MAX) {
      throw RequestError.invalidRequest(undefined, `${SESSIONS_MAX} sessions are open; close one first`);
    }
    const session = await asRequestError(
      AcpSession.open({ client, editor, abilities: this.abilities, sessionId, isNew, onLost }),
    );
    this.#sessions.set(sessionId, session);
    return session;
  }

  async list(cwd: string | undefined, cursor: string | undefined) {
    const all = await this.#options.client.list();
    const sessions = all
      .filter((one) => !one.archived && (cwd === undefined || one.cwd === cwd))
      .toSorted((a, b) => (a.sessionId < b.sessionId ? 1 : -1))
      .filter((one) => cursor === undefined || one.sessionId < cursor);
    const page = sessions.slice(0, LISTED_AT_ONCE);
    const last = sessions.length > page.length ? page.at(-1) : undefined;
    return {
      sessions: page.map(({ sessionId, cwd: where, title, updatedTs }) => ({
        sessionId,
        cwd: where,
        title,
        updatedAt: new Date(updatedTs).toISOString(),
      })),
      ...(last === undefined ? {} : { nextCursor: last.sessionId }),
    };
  }

  async close(sessionId: string): Promise<void> {
    const session = this.session(sessionId);
    this.#sessions.delete(sessionId);
    await session.settle();
  }

  async settle(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.settle()));
    this.#sessions.clear();
  }

  async #exists(sessionId: string): Promise<boolean> {
    if (!isUlid(sessionId)) return false;
    return (await this.#options.client.list()).some((one) => one.sessionId === sessionId);
  }
}

function checkedDirectory(cwd: string): string {
  try {
    if (!/^(?:\/|[A-Za-z]:[\\/])/.test(cwd)) throw new Error("cwd must be an absolute path");
    return sessionDirectory(cwd, "/");
  } catch (error) {
    throw RequestError.invalidParams({ cwd }, error instanceof Error ? error.message : String(error));
  }
}

/** Turns a RoundtableError into a protocol error with the same message. */
async function asRequestError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof RoundtableError && error.code !== "internal") {
      throw RequestError.invalidRequest({ code: error.code, hint: error.hint ?? null }, message);
    }
    throw RequestError.internalError(undefined, message);
  }
}

function warnOfServers(count: number, warn: AcpAgentOptions["warn"]): void {
  if (count > 0)
    warn(`not using ${plural(count, "tool server")} configured in the editor. Configure them in Roundtable instead`);
}

/** The conversation as an editor stores it, read by the official client library. */
import * as acp from "@agentclientprotocol/sdk";
import { patient } from "../../../test/patience.ts";

export interface EditorOptions {
  readonly capabilities?: acp.ClientCapabilities;
  readonly onPermission?: (
    request: acp.RequestPermissionRequest,
  ) => acp.RequestPermissionOutcome | Promise<acp.RequestPermissionOutcome>;
  readonly onForm?: (request: acp.CreateElicitationRequest) => acp.CreateElicitationResponse;
}

const PATIENCE_MS = patient(45_000);

export class EditorScreen {
  readonly updates: acp.SessionUpdate[] = [];
  readonly permissions: acp.RequestPermissionRequest[] = [];
  readonly forms: acp.CreateElicitationRequest[] = [];
  readonly connection: acp.ClientConnection;
  /** Output outside the protocol. */
  stderr = "";
  #wake: (() => void)[] = [];

  constructor(stream: acp.Stream, options: EditorOptions = {}) {
    this.connection = acp
      .client({ name: "editor" })
      .onNotification(acp.methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#stir();
      })
      .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
        this.permissions.push(params);
        this.#stir();
        return { outcome: (await options.onPermission?.(params)) ?? { outcome: "cancelled" } };
      })
      .onRequest(acp.methods.client.elicitation.create, ({ params }) => {
        this.forms.push(params);
        this.#stir();
        return options.onForm?.(params) ?? { action: "cancel" };
      })
      .connect(stream);
  }

  get agent(): acp.ClientContext {
    return this.connection.agent;
  }

  async initialize(clientCapabilities: acp.ClientCapabilities = {}): Promise<acp.InitializeResponse> {
    return await this.agent.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
  }

  async open(cwd: string): Promise<acp.NewSessionResponse> {
    return await this.agent.request("session/new", { cwd, mcpServers: [] });
  }

  async prompt(sessionId: string, text: string): Promise<acp.PromptResponse> {
    return await this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** All text so far, as an editor draws it: chunk after chunk. */
  text(from = 0): string {
    return this.chunks("agent_message_chunk", from);
  }

  thoughts(): string {
    return this.chunks("agent_thought_chunk", 0);
  }

  chunks(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk", from: number): string {
    return this.updates
      .slice(from)
      .flatMap((update) =>
        update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
      )
      .join("");
  }

  /** Tool calls with all updates applied. */
  calls(from = 0): Map<string, Partial<acp.ToolCall>> {
    const calls = new Map<string, Partial<acp.ToolCall>>();
    for (const update of this.updates.slice(from)) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
      const known = calls.get(update.toolCallId);
      if ((known === undefined) === (update.sessionUpdate === "tool_call_update"))
        throw new Error("an update of no call");
      const { sessionUpdate: _, ...facts } = update;
      calls.set(update.toolCallId, { ...known, ...facts } as Partial<acp.ToolCall>);
    }
    return calls;
  }

  async until(what: string, isMet: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!isMet()) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`waited in vain for ${what}: ${this.text().slice(-300)} ${this.stderr}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  #stir(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/**
 * From the start of the program to a session that accepts prompts: initialize, load the earlier session or create one,
 * log in if required, mode and model.
 * Guarantees: no login while the agent opens a session without; a session that cannot be loaded is replaced by a new
 * one, with a warning; a failure to open any ends the turn with an error.
 */
import { sessionLost } from "../../../turn-prompt.ts";
import { offerModels } from "../../../offered-models.ts";
import type { DialectEvent, TurnOver } from "../../../process/dialect.ts";
import { errored } from "../../../process/turn-errors.ts";
import type { RpcError } from "../../../json-rpc/messages.ts";
import { fieldsOf, recordAt, recordOf, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { chooseEffort, readEffort, chooseModel, offeredModels, readModels } from "./models.ts";
import { chooseMode } from "./modes.ts";
import type { AcpMcpServer, AcpOptions } from "../options.ts";
import { andThen, send, type AcpState, type AcpStep, type Call, type QueuedCall } from "../state.ts";
import { callError, isAuthError, loginError, reasonOf } from "../turn/errors.ts";

const PROTOCOL_VERSION = 1;

export function initialize(state: AcpState): AcpStep {
  return send(state, { kind: "initialize" }, "initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "roundtable", title: "Roundtable", version: "1" },
    // Files and terminals stay with the agent, under its own rules.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
}

export function initialized(state: AcpState, options: AcpOptions, result: unknown): AcpStep {
  const offer = fieldsOf(result);
  const version = offer["protocolVersion"];
  if (version !== PROTOCOL_VERSION) {
    const message = `${options.member} speaks version ${String(version)} of the agent protocol; version ${PROTOCOL_VERSION} is needed. Install a version that supports it.`;
    return fail(state, errored({ code: "version", message }));
  }
  return openSession({ ...state, offer }, options);
}

/** Loads the known session where the agent can, else creates one. */
export function openSession(state: AcpState, options: AcpOptions): AcpStep {
  const capabilities = recordOf(state.offer, "agentCapabilities");
  const params = {
    cwd: options.cwd,
    mcpServers: options.mcpServers.filter((server) => isSupported(server, capabilities)),
  };
  const sessionId = state.knownSessionId;
  if (sessionId === undefined) return send(state, { kind: "open", how: "new" }, "session/new", params);
  if (recordOf(capabilities, "sessionCapabilities")["resume"] !== undefined) {
    const known = { ...state, sessionId, isReplaying: true };
    return send(known, { kind: "open", how: "resume" }, "session/resume", { sessionId, ...params });
  }
  if (capabilities["loadSession"] === true) {
    const known = { ...state, sessionId, isReplaying: true };
    return send(known, { kind: "open", how: "load" }, "session/load", { sessionId, ...params });
  }
  return startNewSession(state, options, "it cannot resume sessions");
}

function isSupported(server: AcpMcpServer, capabilities: Fields): boolean {
  return !("type" in server) || recordOf(capabilities, "mcpCapabilities")[server.type] === true;
}

function startNewSession(state: AcpState, options: AcpOptions, reason: string): AcpStep {
  const fresh = {
    ...state,
    knownSessionId: undefined,
    sessionId: undefined,
    isReplaying: false,
    isLost: true,
    used: undefined,
  };
  const lost: AcpStep = { state: fresh, events: [sessionLost(options.member, reason)] };
  return andThen(lost, (next) => openSession(next, options));
}

export function opened(state: AcpState, options: AcpOptions, how: "new" | "load" | "resume", result: unknown): AcpStep {
  const session = fieldsOf(result);
  const sessionId = how === "new" ? textOf(session, "sessionId") : state.sessionId;
  if (sessionId === undefined) {
    const message = `${options.member} opened a session without an id.`;
    return fail(state, errored({ code: "agent_error", message }));
  }
  const open: AcpState = {
    ...state,
    sessionId,
    knownSessionId: sessionId,
    models: readModels(session),
    effort: readEffort(session),
    costUsd: undefined,
    counted: undefined,
    isNewSession: how === "new",
    greeting: textOf(recordAt(session, "_meta", "piAcp"), "startupInfo"),
  };
  const mode = chooseMode(open, session, options);
  const queuedCalls = mode.queuedCalls.length > 0 ? mode.queuedCalls : barrier(session, sessionId, how);
  const offer = offerModels(offeredModels(session));
  const events: DialectEvent[] = [{ type: "member_session", nativeSessionId: sessionId }, ...offer];
  const step: AcpStep = { state: { ...open, queuedCalls, modes: mode.modes, guard: undefined }, events };
  // A turn that starts by opening the session had none yet to choose its model in.
  const { turn } = state;
  if (turn === undefined || turn.compaction !== undefined) return step;
  const model = turn.input.model ?? options.model;
  return andThen(
    andThen(step, (next) => chooseModel(next, model)),
    (next) => chooseEffort(next, options, model),
  );
}

/** Some agents continue to replay history after they report the session as loaded; a call makes them finish. */
function barrier(session: Fields, sessionId: string, how: "new" | "load" | "resume"): QueuedCall[] {
  const modeId = textOf(recordOf(session, "modes"), "currentModeId");
  if (how !== "load" || modeId === undefined) return [];
  return [{ call: { kind: "barrier" }, method: "session/set_mode", params: { sessionId, modeId } }];
}

export function refused(state: AcpState, options: AcpOptions, call: Call, error: RpcError): AcpStep {
  const { member } = options;
  if (call.kind === "authenticate") return fail(state, loginError(member, error, loginHint(state, options)));
  if (call.kind === "open") {
    if (isAuthError(error)) return logIn(state, options, error);
    if (call.how !== "new")
      return startNewSession(state, options, reasonOf(error).split("\n")[0] ?? "it gave no reason");
  }
  return fail(state, callError(member, call.kind === "open" ? "open a session" : "start", error));
}

function logIn(state: AcpState, options: AcpOptions, error: RpcError): AcpStep {
  const offered = recordsOf(state.offer, "authMethods").flatMap((method) => textOf(method, "id") ?? []);
  const { authMethod: methodId } = options;
  if (state.hasAuthenticated || methodId === undefined || !offered.includes(methodId)) {
    return fail(state, loginError(options.member, error, loginHint(state, options)));
  }
  // Some methods open a browser and wait for the user.
  const message = `${options.member} requires a login (${methodId}).`;
  const step: AcpStep = {
    state: { ...state, hasAuthenticated: true },
    events: [{ type: "ui_notify", message, notifyType: "info" }],
  };
  return andThen(step, (next) => send(next, { kind: "authenticate" }, "authenticate", { methodId }));
}

function loginHint(state: AcpState, { loginHint: known, member }: AcpOptions): string {
  const ways = recordsOf(state.offer, "authMethods").flatMap(
    (method) => textOf(method, "description") ?? textOf(method, "name") ?? [],
  );
  if (known !== undefined) return known;
  return ways.length === 0 ? `Log ${member} in with its own program.` : `Ways to log in: ${ways.join("; ")}.`;
}

/** Ready to report, with the next turn, that it cannot work. */
function fail(state: AcpState, failure: TurnOver): AcpStep {
  return { state: { ...state, failure, isReplaying: false }, events: [{ type: "ready" }] };
}

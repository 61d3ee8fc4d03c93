/** One request in a form the editor can show; otherwise the safe default is used and a message says so. */
import type { AgentContext } from "@agentclientprotocol/sdk";
import { safeDefault, type Json } from "../../src/protocol/index.ts";
import { namedTitle, type OpenRequest } from "../../src/transcript/index.ts";
import * as acpAgent from "./format/acp-agent.ts";

export interface EditorAbilities {
  /** The editor supports forms. */
  readonly hasForms: boolean;
}

export interface Asking {
  readonly editor: AgentContext;
  readonly abilities: EditorAbilities;
  readonly sessionId: string;
  readonly cwd: string;
  readonly request: OpenRequest;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

export interface EditorAnswer {
  readonly result: Json;
  /** False when nobody decided: the editor cannot show it, did not answer or cancelled it. */
  readonly isDecided: boolean;
  /** Why there is no answer. */
  readonly problem?: string;
}

export async function askEditor(asking: Asking): Promise<EditorAnswer> {
  const { abilities, request } = asking;
  const body = request.request;
  try {
    if (needsForm(body) && abilities.hasForms) return await fillForm(asking);
    return acpAgent.isChoosable(body)
      ? await choose(asking, { ...request, request: body })
      : undecided(body.method, "this editor cannot show this kind of question");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return undecided(body.method, `the editor did not answer (${message})`);
  }
}

/** A choice that belongs to no call is one for the editor, from the question to its end. */
export function ownCallOf({ requestId, member, toolCallId, request }: OpenRequest, { hasForms }: EditorAbilities) {
  if (toolCallId !== undefined || !acpAgent.isChoosable(request) || (needsForm(request) && hasForms)) return undefined;
  return { toolCallId: requestId, title: namedTitle(member, request.title), kind: acpAgent.permissionKind(request) };
}

function needsForm({ method }: OpenRequest["request"]): boolean {
  return method !== "approval";
}

function undecided(method: Parameters<typeof safeDefault>[0], problem: string): EditorAnswer {
  return { result: safeDefault(method), isDecided: false, problem };
}

async function choose(
  { editor, sessionId, cwd, signal }: Asking,
  request: Parameters<typeof acpAgent.permissionRequest>[1],
): Promise<EditorAnswer> {
  const params = acpAgent.permissionRequest(sessionId, request, cwd);
  const { outcome } = await editor.request("session/request_permission", params, options(signal));
  const result = acpAgent.permissionAnswer(request.request, outcome);
  return { result, isDecided: outcome.outcome !== "cancelled" };
}

async function fillForm({ editor, sessionId, request, signal }: Asking): Promise<EditorAnswer> {
  const response = await editor.request(
    "elicitation/create",
    acpAgent.formRequest(sessionId, request),
    options(signal),
  );
  return { result: acpAgent.formAnswer(request.request, response), isDecided: response.action !== "cancel" };
}

function options(signal: AbortSignal): { cancellationSignal: AbortSignal; stopWaitingOnCancel: true } {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}

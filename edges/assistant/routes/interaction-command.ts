/** The answer to an interaction as our command, or an error in assistant's format. */
import type { UiRequestBody } from "../../../src/protocol/index.ts";
import * as assistant from "../format/assistant.ts";
import { CLIENT_ID, type SessionRoom } from "./session-room.ts";
import { errorFrame } from "./wire-errors.ts";

export async function interactionCommand(
  { name, transcript }: Pick<SessionRoom, "name" | "transcript">,
  frame: assistant.ClientFrameOf<"tool_interaction_response">,
  refusalFor: (request: UiRequestBody) => Promise<string | undefined>,
) {
  const { interactionId: requestId } = frame;
  const details = { sessionId: name, interactionId: requestId };
  const openRequest = transcript.head.requests.find((one) => one.requestId === requestId);
  if (openRequest === undefined) {
    return errorFrame("interaction_not_found", "No such request is open.", { details });
  }
  const why = await refusalFor(openRequest.request);
  if (why !== undefined) return errorFrame("invalid_client_message", why, { details });
  const result = assistant.interactionAnswer(openRequest.request, frame);
  if (result !== undefined) return { type: "answer", requestId, result, by: CLIENT_ID } as const;
  return errorFrame("invalid_client_message", "The answer does not fit the request.", { details });
}

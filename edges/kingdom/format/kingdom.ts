/** Thread files of kingdom (`kd`), the wire 000: every file of a `.kd` tree that we read or write, as text. */
export { backendOf, councilOf } from "./config-file.ts";
export { decodeJsonFile, encodeJsonFile, type JsonObject } from "./json-file.ts";
export { decodeMessage, encodeMessage, type ReadMessage, type ThreadMessage } from "./message-file.ts";
export {
  KING,
  messageFileName,
  normaliseName,
  NUMBER_MAX,
  parseMessageFileName,
  parseStreamFileName,
  streamFileName,
  threadId,
} from "./names.ts";
export { threadOrigin, type FileOrigin } from "./origin.ts";
export { withCurrentThread, withAgentStatus, type AgentStatus } from "./shared-files.ts";
export {
  createStreamReader,
  decodeStreamHead,
  encodeStreamHead,
  encodeStreamText,
  type Backend,
  type StreamReader,
} from "./stream-lines.ts";
export { ThreadIndex, type DueMessage, type OpenTurn } from "./thread-index.ts";
export { decodeThread, encodeThread, type ThreadFile } from "./thread-file.ts";
export { decodeTurnBody, encodeTurnBody, type TurnBody } from "./turn-body.ts";

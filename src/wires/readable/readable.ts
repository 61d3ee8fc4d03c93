/** What the exports for people share: the order of messages, and the words for what happened. */
export { createFlow, type Flow, type FlowItem, type TurnNode } from "./flow.ts";
export { isImage, type ReadableSession } from "./format-session.ts";

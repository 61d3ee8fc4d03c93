/**
 * Entry point of the agents: port, factory, approvals, discovery, and cleanup of orphaned processes.
 * A factory never throws: a member that cannot run is an agent whose turns end errored.
 */
export type {
  ColdStart,
  Agent,
  AgentEvent,
  AgentFactory,
  AnswerResult,
  CompactedEvent,
  MissedMessage,
  LeftOut,
  AgentSetup,
  SteerInput,
  SubagentEvent,
  TurnError,
  TurnInput,
} from "./port.ts";
export type {
  Attached,
  ConversationHistory,
  HistoryCall,
  FoldedHistory,
  HistoryStep,
  HistoryTurn,
  Pinned,
  PinnedTurn,
  TurnPosition,
} from "./history.ts";
export type { AlwaysAllowed, ApprovalSource, Judge } from "./approvals/approval-source.ts";
export { coverKey, coversOf, type PendingCall, type Cover } from "./approvals/pending-call.ts";
export { describePendingCall } from "./approvals/describe-call.ts";
export { judgeCall, whyApprovalNeeded, type Ruling } from "./approvals/judge-call.ts";
export { expectChanges, type IsMissed } from "./approvals/expected-changes.ts";
export { saysForbidden, saysReadOnly, showsRefusal } from "./approvals/printed-refusal.ts";
export { editsHere } from "./approvals/edits-here.ts";
export { parseRule, writtenRule, type Rule, type Verdict } from "./approvals/rule.ts";
export { isLasting, linksOf, withChoices, type Approval } from "./approvals/scoped-options.ts";
export { createAgentFactory, type EmbeddedLoader } from "./create-agent.ts";
export { createAgents, type Agents, type MemberEnvironment, type MemberSandbox } from "./create-agents.ts";
export { effortLevels } from "./effort.ts";
export type { EmbeddedMember, Routine } from "./embedded/agent.ts";
export type { EmbeddedTurn, PlainEvent, ToolOutcome } from "./embedded/turn.ts";
export { expectedGuard, type ExpectedGuard } from "./discovery/expected-guard.ts";
export { absentAgents, hasSupportedKinds, findAgents, type Findings } from "./discovery/find-agents.ts";
export type { DiscoveredAgent } from "./discovery/find-agents.ts";
export { ownModel } from "./discovery/own-model.ts";
export type { McpServers } from "./model/mcp/server-config.ts";
export { tryServers, type TriedServer } from "./model/mcp/try-servers.ts";
export { whyUnsupported } from "./kinds.ts";
export { findProgram } from "./process/launch/find-program.ts";
export { findMemberProcesses, type MemberProcess } from "./process/tracking/process-records.ts";
export { whyNotUsers } from "./process/tracking/peer-process.ts";
export { findOrphans, type Orphan } from "./process/tracking/orphans.ts";
export { probeSandbox, type Probed } from "./sandbox/probe.ts";
export { isGoverned } from "./sandbox/governed/is-governed.ts";
export { whyNotWritable } from "./sandbox/wrap-command.ts";

// What members of an edge share with our own agent.
export { checksDirectory } from "./tools/check-directory.ts";
export { runGit, type GitEnd } from "./tools/git.ts";
export { isInside } from "./tools/inside.ts";
export { FILES_MAX, listFiles, type FileList } from "./tools/list-files.ts";
export { printable, printableLine } from "./tools/printable.ts";
export { createTextReader, FILE_BYTES_MAX, type FileText, type TextReader } from "./tools/text-reader.ts";

/** What happens around the talk, and what should not happen but does. */
import type { EventDraft } from "../../src/protocol/index.ts";
import { beside, inTurn, noneOpen, oneOf, type Action } from "./session-action.ts";
import { deliver, idleMembers, join, start } from "./session-scene.ts";

const compactions: readonly EventDraft[] = [
  { type: "compaction", member: "claude", summary: "So far.", before: 100, after: 10, firstKeptSeq: 1 },
  { type: "compaction_started", member: "claude", focus: "the plan" },
  { type: "compaction_failed", member: "claude", reason: "too short" },
  { type: "compaction_undone", member: "claude", compactionId: "unknown" },
  { type: "context_entry", turnId: "t", member: "claude", entry: { kind: "asked", text: "What now?" } },
];

const council: Action[] = [
  {
    weight: 2,
    when: (scene) => scene.messages.length > 0 && noneOpen(scene),
    run: (scene) => {
      scene.round += 1;
      const rootMessageId = scene.messages.at(-1) ?? "";
      for (const member of idleMembers(scene))
        start(scene, member, { cause: "round", messageIds: [], rootMessageId, round: scene.round });
    },
  },
  {
    weight: 1,
    when: (scene) => scene.messages.length > 0,
    run: (scene) =>
      scene.emit({
        type: "council_settled",
        why: "cap",
        rootMessageId: scene.messages.at(-1) ?? "",
        round: scene.round,
      }),
  },
  beside(1, (scene) => scene.emit({ type: "minutes", text: "We agreed.", by: "codex" })),
];

const agents: Action[] = [
  inTurn(1, (scene, { turnId, member, depth }) => {
    const child = scene.newName("turn");
    scene.emit({
      type: "subagent_spawned",
      turnId,
      member,
      subagentTurnId: child,
      name: "helper",
      task: "Look.",
      depth: depth + 1,
    });
    const turn = start(scene, member, { cause: "subagent", messageIds: [], parentTurnId: turnId, depth: depth + 1 });
    scene.subagents.push({ parent: turnId, child: turn.turnId });
  }),
  {
    weight: 1,
    when: (scene) => scene.subagents.length > 0,
    run: (scene, pick) => {
      const { parent, child } = oneOf(scene.subagents, pick);
      scene.emit({
        type: "subagent_result",
        turnId: parent,
        member: "claude",
        subagentTurnId: child,
        outcome: "completed",
        text: "Found.",
      });
    },
  },
  inTurn(1, (scene, { turnId, member, tools }) => {
    const agentExchangeId = scene.newName("exchange");
    scene.exchanges.push(agentExchangeId);
    const call = tools[0] === undefined ? {} : { toolCallId: tools[0] };
    const words = { to: "codex", text: "Can you?", wait: false, ...call };
    scene.emit({ type: "agent_message", turnId, agentExchangeId, member, ...words });
    if (scene.exchanges.length % 2 === 0) return;
    start(scene, "codex", { cause: "exchange", messageIds: [], parentTurnId: turnId, agentExchangeId, depth: 1 });
  }),
  {
    weight: 1,
    when: (scene) => scene.exchanges.length > 0,
    run: (scene, pick) =>
      scene.emit({
        type: "agent_callback_result",
        agentExchangeId: oneOf(scene.exchanges, pick),
        member: "codex",
        ok: true,
        text: "I can.",
      }),
  },
];

const work: Action[] = [
  inTurn(1, (scene, { turnId, member }, pick) =>
    scene.emit({
      type: "plan_update",
      turnId,
      member,
      planId: `plan-${pick(2)}`,
      items: [{ text: "Read", status: "pending" }],
      needsDecision: true,
    }),
  ),
  beside(1, (scene, pick) => scene.emit({ type: "plan_decision", planId: `plan-${pick(3)}`, decision: "approve" })),
  inTurn(1, (scene, { turnId, member }) =>
    scene.emit({
      type: "change_report",
      turnId,
      member,
      files: [{ path: "a.ts", status: "added", added: 3 }],
      truncatedCount: 0,
    }),
  ),
  inTurn(1, (scene, { turnId, member }) => scene.emit({ type: "finalize_task", turnId, member, summary: "All done." })),
  inTurn(1, (scene, { turnId, member }) =>
    scene.emit({ type: "model_fallback", turnId, member, preferred: "large", actual: "small", reason: "rate limit" }),
  ),
  beside(1, (scene, pick) =>
    scene.emit({
      type: "context_update",
      member: "claude",
      used: pick(200_000),
      window: 200_000,
      compactAt: 160_000,
      measured: true,
    }),
  ),
  beside(1, (scene) => {
    // By the place in the log, not by chance, so that the logs of known seeds stay what they are.
    const { length } = scene.events;
    for (const [at, draft] of compactions.entries()) if (length % compactions.length === at) scene.emit(draft);
  }),
];

const signals: Action[] = [
  beside(1, (scene, pick) =>
    scene.emit({
      type: "ui_status",
      key: oneOf(["branch", "constructor", "__proto__"], pick),
      text: pick(2) === 0 ? null : "main",
    }),
  ),
  beside(1, (scene, pick) =>
    scene.emit({
      type: "ui_widget",
      key: "todo",
      content: oneOf([null, "one", ["one", "two"]], pick),
      opts: { place: "top" },
    }),
  ),
  beside(1, (scene, pick) => scene.emit({ type: "ui_working", message: oneOf([null, "Indexing"], pick) })),
  beside(1, (scene) => scene.emit({ type: "ui_set_title", title: "Working" })),
  beside(1, (scene) => scene.emit({ type: "ui_set_editor_text", text: "Try this" })),
  inTurn(1, (scene, { turnId, member }) =>
    scene.emit({ type: "ui_notify", turnId, member, message: "Hello", notifyType: "info" }),
  ),
];

const NAMES = ["claude", "codex", "constructor", "pi", "scout"];

const membership: Action[] = [
  {
    weight: 1,
    when: (scene) => scene.members.size < NAMES.length,
    run: (scene, pick) =>
      join(
        scene,
        oneOf(
          NAMES.filter((name) => !scene.members.has(name)),
          pick,
        ),
      ),
  },
  {
    weight: 1,
    when: (scene) => idleMembers(scene).length > 1,
    run: (scene, pick) => {
      const member = oneOf(idleMembers(scene), pick);
      for (const messageId of scene.members.get(member)?.pending ?? []) deliver(scene, messageId, member, "dropped");
      scene.members.delete(member);
      scene.emit({ type: "member_left", member });
    },
  },
  {
    weight: 1,
    when: (scene) => scene.members.size > 0,
    run: (scene, pick) => {
      const [member, state] = oneOf([...scene.members], pick);
      state.muted = !state.muted;
      if (state.muted) scene.emit({ type: "member_muted", member });
      else scene.emit({ type: "member_unmuted", member });
    },
  },
  beside(1, (scene, pick) =>
    scene.emit({ type: "model_switched", member: oneOf(["claude", "nobody"], pick), model: "large" }),
  ),
  beside(1, (scene, pick) =>
    scene.emit({ type: "member_session", member: "codex", nativeSessionId: `native-${pick(9)}` }),
  ),
];

const session: Action[] = [
  beside(1, (scene) => scene.emit({ type: "session_renamed", title: scene.newName("Title") })),
  beside(1, (scene, pick) => scene.emit({ type: "session_archived", archived: pick(2) === 0 })),
  beside(1, (scene) => scene.emit({ type: "settings_changed", settings: { auto_rounds: 2, prompt: undefined } })),
  beside(1, (scene, pick) =>
    scene.emit({ type: "message_pinned", messageId: oneOf([...scene.messages, "unknown"], pick), pinned: pick(3) > 0 }),
  ),
  { weight: 1, when: noneOpen, run: (scene) => scene.emit({ type: "session_clear", clientId: "client" }) },
  beside(1, (scene, pick) =>
    scene.emit({ type: oneOf(["warning", "error"] as const, pick), code: "slow", message: "Slow disk." }),
  ),
  beside(1, (scene) => scene.emit({ type: "read_only", fromTs: 1, toTs: 2, reason: "disk full", dropped: 3 })),
  beside(1, (scene) => scene.emit({ type: "mirrored", eventSeq: 1, number: 1, hash: "ab" })),
];

/** What no good session writes: late, repeated, unknown. It must be kept or ignored, and never break the fold. */
const foreign: Action[] = [
  beside(1, (scene, pick) => {
    const { turnId, member } = oneOf([...scene.ended, { turnId: "unknown-turn", member: "nobody" }], pick);
    const late = oneOf(
      ["text_delta", "text_done", "thinking_done", "status", "tool_result", "turn_end", "usage"] as const,
      pick,
    );
    if (late === "text_delta" || late === "text_done" || late === "thinking_done")
      scene.emit({ type: late, turnId, member, segmentId: "late", text: "Late" });
    if (late === "status") scene.emit({ type: late, turnId, member, state: "working", detail: "Late" });
    if (late === "tool_result") scene.emit({ type: late, turnId, member, toolCallId: "late", ok: true });
    if (late === "turn_end") scene.emit({ type: late, turnId, member, outcome: "completed", durationMs: 1 });
    if (late === "usage") scene.emit({ type: late, turnId, member, usage: { inputTokens: 1, outputTokens: 1 } });
  }),
  inTurn(1, (scene, { turnId, member }) =>
    scene.emit({ type: "turn_start", turnId, member, cause: "user", messageIds: [], depth: 0 }),
  ),
  inTurn(1, (scene, { turnId, member }) =>
    scene.emitUnknown({ type: "hologram_shown", turnId, member, shape: { sides: 12 } }),
  ),
  beside(1, (scene) => scene.emitUnknown({ type: "hologram_hidden", reason: undefined, note: "from a newer version" })),
  beside(1, (scene, pick) => deliver(scene, oneOf([...scene.messages, "unknown-message"], pick), "claude", "answered")),
  {
    weight: 1,
    when: (scene) => scene.ended.length > 0 && idleMembers(scene).length > 0,
    run: (scene, pick) => {
      const { turnId } = oneOf(scene.ended, pick);
      start(scene, oneOf(idleMembers(scene), pick), { cause: "retry", messageIds: [], replaces: turnId });
    },
  },
];

export const otherActions: readonly Action[] = [
  ...council,
  ...agents,
  ...work,
  ...signals,
  ...membership,
  ...session,
  ...foreign,
];

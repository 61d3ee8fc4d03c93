/** Wire 001: sessions as linggen's frames and records, and its answers as ours. Pure; the routes carry them. */
export { SessionMapper } from "./session-mapper.ts";
export { resyncFrame, syncFrame } from "./frames.ts";
export { encodeFrame, isSync, KEEP_ALIVE, stamp, toSeconds, type UiDraft, type UiMessage } from "./ui-message.ts";
export { answerOf, questionsOf, type QuestionCard, type GivenAnswer } from "./questions.ts";
export { savedMessages, type SavedMessage } from "./saved-messages.ts";
export { runContext, runsOf, type RunContext, type RunRecord } from "./runs.ts";
export { workingTree } from "./working-tree.ts";
export { pendingPlan, planKey, planRequest, planStatusOf, type LinggenPlan } from "./plans.ts";
export { queuedChats, waitingIn, type QueuedChat } from "./queue-items.ts";
export { resolveAgent, targetOf, titleOf } from "./titles.ts";
export { membersWith, settingsEffect, withoutKeys, type SettingsEffect } from "./settings.ts";
export { readSkill, type Skill, type SkillSource } from "./skills.ts";
export { type HistoryEntry } from "./history-entries.ts";

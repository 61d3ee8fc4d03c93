/** The session as one Agent Client Protocol agent: the transcript becomes updates, requests become commands. */
export { readEditorLine, readLeftOutLine, type EditorLine, type RefusedLine } from "./editor-line.ts";
export { formAnswer, formRequest } from "./forms.ts";
export { chosenMode, modeId, modesOf, type ChosenMode } from "./modes.ts";
export { isChoosable, permissionAnswer, permissionKind, permissionRequest } from "./permissions.ts";
export { promptText, parseRoundtableCommand, roundtableCommands, type RoundtableCommand } from "./prompt-text.ts";
export { SessionUpdates } from "./session-updates.ts";

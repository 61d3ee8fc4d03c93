/** The terminal app with everything it needs from this machine. */
import path from "node:path";
import type { SessionDefaults } from "../../server/index.ts";
import type { ScreenOptions } from "../../tui/index.ts";
import { userConfigFile } from "../config/paths.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { listenForStops } from "../ask/stop-signals.ts";
import { shorten } from "../print/block-lines.ts";
import { createDraftStore, createHistoryStore, loadKeysFile } from "../screen-files.ts";
import { stdout } from "../stdout.ts";
import { chooseSession, type ChatWish } from "./choose-session.ts";
import { copyToClipboard } from "./clipboard.ts";
import { editExternally } from "./external-editor.ts";
import { saveFile } from "./save-file.ts";
import type { TakenSeat } from "./take-seat.ts";

const TITLE_CHARS_MAX = 80;

export interface ChatPlan {
  readonly takeSeat: () => Promise<TakenSeat>;
  /** Read while the first frame is already there; lines for the user go to `tell`. */
  readonly defaults: (tell: (line: string) => void) => Promise<SessionDefaults>;
  readonly wish: ChatWish;
  readonly dataDir: string;
  readonly theme: string;
}

export async function runChat(plan: ChatPlan): Promise<ExitCode> {
  const { runScreen } = await import("../../tui/index.ts");
  const stop = new AbortController();
  const stops = listenForStops(
    () => stop.abort(),
    () => process.exit(exitCodes.interrupted),
  );
  let seat: TakenSeat | undefined;
  const connect = async () => (seat = await plan.takeSeat());
  try {
    const farewell = await runScreen({ ...screenOptions(plan, connect), signal: stop.signal });
    stdout.write(farewell);
    return exitCodes.ok;
  } finally {
    await seat?.close();
    stops.release();
  }
}

export function screenOptions(plan: ChatPlan, connect: ScreenOptions["connect"]): Omit<ScreenOptions, "signal"> {
  const { env } = process;
  const { wish, dataDir, theme } = plan;
  const told: string[] = [];
  let reading: ReturnType<ChatPlan["defaults"]> | undefined;
  // Read when somebody first wants them: not before there is something to see.
  const defaults = () => (reading ??= plan.defaults((line) => told.push(line)));
  return {
    connect,
    choose: (client) => chooseSession(client, wish),
    async createSession(client, text) {
      const { cwd, settings, members } = await defaults();
      const title = shorten(text, TITLE_CHARS_MAX);
      return (await client.create({ cwd, title, settings, members: [...members] })).sessionId;
    },
    introduce: async () => {
      const { members } = await defaults();
      return { seated: members.map((member) => member.name), lines: told };
    },
    env,
    theme,
    keysFile: loadKeysFile(path.dirname(userConfigFile(env))),
    stores: (say) => ({ history: createHistoryStore(dataDir, { say }), drafts: createDraftStore(dataDir, { say }) }),
    editText: (text) => editExternally(text, env),
    copyText: (text) => copyToClipboard(text, env),
    saveFile: (name, text) => saveFile(wish.cwd, name, text),
    doctor: async () => (await import("../commands/doctor.ts")).doctorLines(dataDir),
  };
}

/** The terminal app as its parts see it. Parts that need less of it use `Pick`. */
import type { TuiAltScreen } from "@earendil-works/pi-tui";
import type { Clock } from "../../kit/clock.ts";
import type { CommandScreen } from "../commands/command.ts";
import type { Prompt } from "../input/prompt.ts";
import type { Keymap } from "../keys/keymap.ts";
import type { LogView } from "../log/log-view.ts";
import type { OverlaySurface } from "../overlays/overlay-surface.ts";
import type { ScreenOptions } from "./options.ts";
import type { RequestController } from "./requests/request-controller.ts";
import type { OverlayController } from "./screen/dialogs.ts";
import type { PanelStack } from "./screen/panel-stack.ts";
import type { ScreenSettings, SettingName } from "./screen/settings.ts";
import type { Addressing } from "./session/addressing.ts";
import type { AttachedFiles } from "./session/attached-files.ts";
import type { Conversation } from "./session/conversation.ts";
import type { Leaving } from "./session/leaving.ts";
import type { Repository } from "./session/repository.ts";

export interface AppContext extends CommandScreen {
  readonly options: ScreenOptions;
  readonly keymap: Keymap;
  readonly clock: Clock;
  readonly tui: TuiAltScreen;
  readonly conversation: Conversation;
  readonly log: LogView;
  readonly prompt: Prompt;
  readonly attached: AttachedFiles;
  readonly surface: OverlaySurface;
  readonly panels: PanelStack;
  readonly overlays: OverlayController;
  readonly requests: RequestController;
  readonly leaving: Leaving;
  readonly addressing: Addressing;
  readonly repository: Repository;
  readonly settings: ScreenSettings;
  /** Aborted when the screen has closed. */
  readonly closed: AbortSignal;
  set<Name extends SettingName>(name: Name, value: ScreenSettings[Name]): void;
  /** Shows an error above the input. */
  fail(error: unknown): undefined;
  clearNotes(): void;
  /** Takes a notice back that has become untrue. */
  withdraw(text: string): void;
  suspend(): void;
  /** Opens the text in the user's editor; undefined when it was left without saving. */
  editText(text: string): Promise<string | undefined>;
  /** Opens a file of the session's directory in the user's editor. */
  openFile(path: string, line?: number): Promise<void>;
}

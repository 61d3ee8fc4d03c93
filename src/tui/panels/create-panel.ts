/** The panel for a message. */
import type { ShownMessage } from "../../transcript/index.ts";
import { FoldableTurnPanel } from "./foldable-turn-panel.ts";
import { NoticePanel } from "./notice-panel.ts";
import type { Panel, PanelContext } from "./panel.ts";
import { UserPanel } from "./user-panel.ts";

export function createPanel(message: ShownMessage, context: PanelContext): Panel {
  switch (message.kind) {
    case "user":
      return new UserPanel(message, context);
    case "turn":
      return new FoldableTurnPanel(message, context);
    default:
      return new NoticePanel(message, context);
  }
}

/** What the log is put together from besides itself. */
import type { PanelContext } from "../panels/panel.ts";
import type { MakePanel } from "./panel-cache.ts";

export interface LogDeps {
  readonly createPanel: MakePanel;
  /** The rows after the last message: members that will speak. The same array until something changes. */
  readonly waitingRows: (context: PanelContext, width: number) => readonly string[];
}

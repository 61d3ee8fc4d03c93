/** The panel at the right of a session; its views are loaded when it is first opened. */
import { useApp, useStore } from "../store/use-store.ts";
import { IconButton } from "../ui/button.tsx";
import { lazyView } from "../ui/lazy-view.tsx";

export const Panel = lazyView<{ readonly sessionId: string }>(async () => (await import("./panel-view.tsx")).PanelView);

/** Opens and closes the panel. */
export function PanelButton() {
  const store = useStore();
  const isOpen = useApp((state) => state.panel !== undefined);
  return (
    <IconButton
      icon="panel-right"
      label="Panel"
      className="panel-button"
      isOn={isOpen}
      onClick={() => store.setPanel(isOpen ? undefined : { tab: "changes" })}
    />
  );
}

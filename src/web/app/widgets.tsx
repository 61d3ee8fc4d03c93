/** What agents keep in view: boxes with lines of their own. They are text, whatever they hold. */
import { useHead } from "../store/use-store.ts";

export function Widgets() {
  const widgets = useHead((head) => head.ui.widgets);
  const entries = Object.entries(widgets ?? {});
  if (entries.length === 0) return null;
  return (
    <section className="widgets" aria-label="From the agents" tabIndex={0}>
      {entries.map(([key, { content }]) => (
        <div key={key} className="widget">
          <span className="fact">{key}</span>
          <pre dir="auto">{typeof content === "string" ? content : content.join("\n")}</pre>
        </div>
      ))}
    </section>
  );
}

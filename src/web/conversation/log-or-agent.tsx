/** What stands in the middle of a session: the conversation, or the page of one subagent of it. */
import { useApp } from "../store/use-store.ts";
import { AgentPage } from "./agent-page.tsx";
import { ConversationLog } from "./conversation-log.tsx";

export function LogOrAgent() {
  const viewing = useApp((state) => state.viewing);
  if (viewing?.view === "agent" && viewing.seq !== undefined) return <AgentPage key={viewing.seq} seq={viewing.seq} />;
  return <ConversationLog />;
}

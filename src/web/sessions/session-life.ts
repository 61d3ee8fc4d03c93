/** A copy of a session, and its way to the trash. */
import type { PageStore } from "../store/page-store.ts";

/** Goes on in the copy; rejects with the host's words when it refuses. */
export async function forkFrom(store: PageStore, options: { seq?: number; title?: string }): Promise<void> {
  const { seq, title } = options;
  const made = await store.command({
    type: "fork",
    ...(seq === undefined ? {} : { seq }),
    ...(title === undefined || title === "" ? {} : { title }),
  });
  const { sessionId } = made as { sessionId: string };
  store.goTo({ sessionId });
  store.say("This is a copy; the session it was made from goes on as it was.");
}

/** One that is open is left first; when it is refused, it is shown again. */
export async function deleteFrom(store: PageStore, sessionId: string): Promise<void> {
  const isOpen = store.getState().sessionId === sessionId;
  if (isOpen) store.goTo({});
  try {
    await store.client.deleteSession(sessionId);
  } catch (error) {
    if (isOpen) store.goTo({ sessionId });
    throw error;
  }
  store.say(`The session is in the trash; roundtable sessions trash restore ${sessionId} brings it back.`);
}

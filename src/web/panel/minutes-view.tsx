/** Minutes of the discussions in this session, latest first. */
import type { EventOf } from "../../protocol/index.ts";
import { isKnownEvent } from "../../protocol/index.ts";
import { loadedMessagesBackward, type Transcript } from "../../transcript/index.ts";
import { formatWhen } from "../format/units.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { useApp, useStore } from "../store/use-store.ts";
import { Button } from "../ui/button.tsx";
import { MemberSign } from "../ui/sign.tsx";

const SHOWN_MAX = 20;

export function MinutesView() {
  const store = useStore();
  const transcript = useApp((state) => state.transcript);
  const all = transcript === undefined ? [] : minutesOf(transcript);
  return (
    <>
      <div className="panel-body" tabIndex={0} role="region" aria-label="Minutes">
        {all.length === 0 ? (
          <p className="panel-note">No minutes yet. A member writes them after a discussion, or when you ask.</p>
        ) : null}
        {all.map(({ seq, ts, event }) => (
          <article key={seq} className="pminutes">
            <header>
              {event.by === undefined ? null : (
                <>
                  <MemberSign name={event.by} size="s" />
                  <strong>{event.by}</strong>
                </>
              )}
              <time className="fact" dateTime={new Date(ts).toISOString()}>
                {formatWhen(ts)}
              </time>
            </header>
            <Markdown text={event.text} />
          </article>
        ))}
      </div>
      <div className="psub foot">
        <span className="grow" />
        <Button isSmall icon="file-text" onClick={() => void store.tryCommand({ type: "minutes" })}>
          Write minutes
        </Button>
      </div>
    </>
  );
}

interface Minutes {
  readonly seq: number;
  readonly ts: number;
  readonly event: EventOf<"minutes">;
}

function minutesOf(transcript: Transcript): Minutes[] {
  const minutes: Minutes[] = [];
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind !== "notice" || !isKnownEvent(message.event) || message.event.type !== "minutes") continue;
    minutes.push({ seq: message.seq, ts: message.ts, event: message.event });
    if (minutes.length === SHOWN_MAX) break;
  }
  return minutes;
}

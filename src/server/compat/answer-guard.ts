/**
 * Who may answer what lets a member act. On a port that asks for no token anybody on this machine could, the member
 * itself too: there it takes a peer that is shown to be a program of the user's.
 */
import type { IncomingMessage } from "node:http";
import type { UiRequestBody } from "../../protocol/index.ts";

/** Why the program at the other end of a connection on loopback may be a member's; undefined when it is not. */
export type PeerCheck = (connection: { serverPort: number; peerPort: number }) => Promise<string | undefined>;

/** Why an answer is not taken from this peer, and where to answer instead; undefined when it is. */
export type AnswerCheck = (
  request: UiRequestBody,
  peer: Pick<IncomingMessage["socket"], "localPort" | "remotePort">,
) => Promise<string | undefined>;

/** Of a port that asks for the token. */
export const allowAllAnswers: AnswerCheck = () => Promise.resolve(undefined);

const ELSEWHERE = "Answer in the terminal app or on Roundtable's page, or use the port that asks for the token.";

export function createAnswerGuard(checkPeer: PeerCheck | undefined): AnswerCheck {
  return async ({ method }, { localPort, remotePort }) => {
    // What only asks for an opinion gives no leave for anything.
    if (method !== "approval" && method !== "confirm") return undefined;
    const isKnown = checkPeer !== undefined && localPort !== undefined && remotePort !== undefined;
    const why = isKnown
      ? await checkPeer({ serverPort: localPort, peerPort: remotePort })
      : "it is unknown which program is asking";
    return why && `Approvals cannot be answered on a port without a token, because ${why}. ${ELSEWHERE}`;
  };
}

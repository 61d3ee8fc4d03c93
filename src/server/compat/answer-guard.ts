/**
 * Who may answer requests that let a member act. On a port without a token any local program could, including the
 * member itself, so there the peer must provably be a program of the user.
 */
import type { IncomingMessage } from "node:http";
import type { UiRequestBody } from "../../protocol/index.ts";

/**
 * Reason why the program at the other end of a loopback connection may belong to a member; undefined when it does not.
 */
export type PeerCheck = (connection: { serverPort: number; peerPort: number }) => Promise<string | undefined>;

/** Reason why an answer from this peer is refused, and where to answer instead; undefined when it is accepted. */
export type AnswerCheck = (
  request: UiRequestBody,
  peer: Pick<IncomingMessage["socket"], "localPort" | "remotePort">,
) => Promise<string | undefined>;

/** For a port that requires the token. */
export const allowAllAnswers: AnswerCheck = () => Promise.resolve(undefined);

const ELSEWHERE = "Answer in the terminal app or on Roundtable's page, or use the port that asks for the token.";

export function createAnswerGuard(checkPeer: PeerCheck | undefined): AnswerCheck {
  return async ({ method }, { localPort, remotePort }) => {
    // Other methods only ask for an opinion and permit nothing.
    if (method !== "approval" && method !== "confirm") return undefined;
    const isKnown = checkPeer !== undefined && localPort !== undefined && remotePort !== undefined;
    const why = isKnown
      ? await checkPeer({ serverPort: localPort, peerPort: remotePort })
      : "it is unknown which program is asking";
    return why && `Approvals cannot be answered on a port without a token, because ${why}. ${ELSEWHERE}`;
  };
}

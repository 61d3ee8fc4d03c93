/** Ways to sign in to this server, and texts for a signed-out browser. */

export interface Offer {
  readonly isTeam: boolean;
  /** Name of the provider of a team. */
  readonly provider?: string;
  /** Address for other machines; absent when the server accepts none. */
  readonly url?: string;
}

interface Messages {
  readonly signedOut: string;
  readonly revoked: string;
  readonly badCode: string;
  readonly otherServer: string;
  readonly noCode: string;
  readonly unreachable: string;
  /** Heading of the command that prints a code. */
  readonly where: string;
  readonly command: string;
}

const OTHER_SERVER = "Another program answers at this address, so nothing was sent to it.";

const OWN: Messages = {
  signedOut:
    "You're signed out. Run `roundtable web` in a terminal to open this page signed in, or type a sign-in code here.",
  revoked: "This browser is no longer signed in. Run `roundtable web` in a terminal to sign in again.",
  badCode:
    "This code doesn't work. It may have expired or been used already. Run `roundtable web --code` for a new one.",
  otherServer: `${OTHER_SERVER} Run \`roundtable web\` in a terminal to find your server.`,
  noCode: "Type the code that `roundtable web --code` prints.",
  unreachable: "Can't reach the server. Start it with `roundtable web` and try again.",
  where: "Get a code on the machine that runs Roundtable. It works once:",
  command: "roundtable web --code",
};

const TEAM: Messages = {
  signedOut: "You're signed out. Open a link from your team, or type a code from a device that is signed in.",
  revoked: "This browser is no longer signed in. Open a new link, or type a code from a device that is signed in.",
  badCode:
    "This code doesn't work. It may have expired or been used already. Get a new one on a device that is signed in.",
  otherServer: `${OTHER_SERVER} Ask your team's administrator.`,
  noCode: "Type a code from a device that is signed in.",
  unreachable: "Can't reach the server. Try again.",
  where: "Get a code on a signed-in device under Settings, Devices, or on a machine that has joined:",
  command: "roundtable team link --code",
};

let offered: Promise<Offer> | undefined;

export async function readOffer(): Promise<Offer> {
  offered ??= ask();
  return await offered;
}

async function ask(): Promise<Offer> {
  try {
    const answer = await fetch("/v1/sign-in");
    if (answer.ok) return (await answer.json()) as Offer;
  } catch {
    // The server does not answer; retried.
  }
  offered = undefined;
  return { isTeam: false };
}

export function messagesOf({ isTeam }: Offer): Messages {
  return isTeam ? TEAM : OWN;
}

export async function readMessages(): Promise<Messages> {
  return messagesOf(await readOffer());
}
